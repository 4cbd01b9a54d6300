"""Linked code -> callable machine code in this process, without LLVM."""

from __future__ import annotations

import ctypes
import mmap
import struct

from ..errors import CodegenError
from .linking import LinkedCode
from .loader import Code

_READ, _EXECUTE = 1, 4  # of mprotect


class MappedCode(Code):
    """Owns the memory the code lives in: keep it as long as an address from it may be called."""

    def __init__(self, code: LinkedCode):
        self._symbols, self._data_begin = code.symbols, code.data_begin
        self._memory = mmap.mmap(-1, len(code.memory))  # zeros that can be read and written
        self._memory[:] = code.memory
        self._view = ctypes.c_char.from_buffer(self._memory)  # keeps the memory where it is
        self._begin = ctypes.addressof(self._view)
        library = ctypes.CDLL(None, use_errno=True)
        for where, offset in code.addresses:
            struct.pack_into("<Q", self._memory, where, self._begin + offset)
        for where, name in code.externals:
            function = getattr(library, name, None)
            if function is None:
                raise CodegenError(f"the saved code needs the function {name!r}, which this system's C library lacks")
            struct.pack_into("<Q", self._memory, where, ctypes.cast(function, ctypes.c_void_p).value)
        protect = library.mprotect
        protect.argtypes, protect.restype = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int), ctypes.c_int
        if protect(self._begin, code.data_begin, _READ | _EXECUTE):
            raise CodegenError(f"this system does not let saved code be executed (error {ctypes.get_errno()})")

    def address(self, name: str) -> int:
        place, _ = self._symbols.get(name, (self._data_begin, 0))
        if place >= self._data_begin:
            raise CodegenError(f"the compiled code has no function {name}")
        return self._begin + place

    def table(self, name: str, length: int) -> ctypes.Array:
        kind = ctypes.c_void_p * length
        place, size = self._symbols.get(name, (0, 0))
        if place < self._data_begin or size != ctypes.sizeof(kind):
            raise CodegenError(f"the compiled code has no table {name} of {length} entries")
        return kind.from_address(self._begin + place)
