"""Where arrays are in memory.

NumPy's own answer, `array.ctypes.data`, makes two objects and takes microseconds; many calls give twenty arrays. Where
arrays are laid out as known (python_abi.py) the pointer is read from where it stands.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache

import numpy as np

from .python_abi import DATA_OFFSET, numpy_table


def begins(arrays: Sequence[np.ndarray]) -> list[int]:
    """Addresses of their first elements. Keep the arrays as long as these are used."""
    if not _known():
        return [array.ctypes.data for array in arrays]
    read = ctypes.c_size_t.from_address
    return [read(id(array) + DATA_OFFSET).value for array in arrays]


@cache
def _known() -> bool:
    return numpy_table() is not None
