"""Whose number it is that is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import InputError, ModelError


@contextmanager
def refused_as_of(whose: str) -> Iterator[None]:
    """What is refused within this is told with the name of whose it is: a model has many surfaces."""
    try:
        yield
    except (InputError, ModelError) as error:
        raise type(error)(f"{whose}: {error}") from None
