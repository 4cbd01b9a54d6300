"""Object files -> one block of machine code that runs wherever in memory it is put.

What LLVM's own loader does when a function is loaded, done once and for all, so that a saved function needs no LLVM.
Our code addresses everything relative to the instruction pointer, so nearly all that is left open between object files
is settled here. What remains are addresses that only the loading process knows: a few words of a table, and functions
of the C library.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import CodegenError, UnsupportedError

WORD = 8  # bytes of an address
LARGEST_PAGE = 65536  # what is executed and what is written may not share a page, on any system this may be loaded on
_ELF, _X86_64 = b"\x7fELF\x02\x01", 62  # 64 bits, little-endian
_SYMTAB, _RELA, _NOBITS = 2, 4, 8
_WRITE, _ALLOC, _EXECUTE = 1, 2, 4
_GLOBAL_AND_WEAK = (1, 2)
# Relocation types of the x86-64 ABI.
_64, _PC32, _PLT32, _GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX, _PC64 = 1, 2, 4, 9, 41, 42, 24
_JUMP = b"\xff\x25"  # jmp *[rip + offset]


@dataclass(frozen=True)
class LinkedCode:
    """memory      code, then from `data_begin` on what is written
    symbols     name -> (offset, bytes)
    addresses   (where, offset): words that hold the address of something in here
    externals   (where, name): words that hold the address of a function of the C library
    """

    memory: bytes = field(repr=False)
    data_begin: int
    symbols: dict[str, tuple[int, int]]
    addresses: tuple[tuple[int, int], ...]
    externals: tuple[tuple[int, str], ...]


class _Section(NamedTuple):
    kind: int
    flags: int
    data: bytes
    alignment: int
    link: int
    info: int


class _Symbol(NamedTuple):
    name: str
    section: int  # 0: defined elsewhere
    value: int
    size: int
    is_global: bool


class _ObjectFile:
    def __init__(self, data: bytes):
        if data[:6] != _ELF:
            raise UnsupportedError(
                "only functions compiled on Linux can be saved; elsewhere object files have another format. "
                "`export_c` writes C, which any compiler turns into a library"
            )
        machine = struct.unpack_from("<H", data, 18)[0]
        if machine != _X86_64:
            raise UnsupportedError(
                f"functions compiled for this kind of processor (ELF machine {machine}) cannot be saved, only "
                "those for x86-64; `export_c` writes C, which any compiler turns into a library"
            )
        (table,) = struct.unpack_from("<Q", data, 40)
        size, count = struct.unpack_from("<HH", data, 58)
        self.sections = []
        for k in range(count):
            _, kind, flags, _, offset, length, link, info, alignment, _ = struct.unpack_from(
                "<IIQQQQIIQQ", data, table + k * size
            )
            content = bytes(length) if kind == _NOBITS else data[offset : offset + length]
            self.sections.append(_Section(kind, flags, content, max(1, alignment), link, info))
        self.symbols: list[_Symbol] = []
        for section in self.sections:
            if section.kind == _SYMTAB:
                names = self.sections[section.link].data
                for name, info, _, number, value, size in struct.iter_unpack("<IBBHQQ", section.data):
                    text = names[name : names.index(b"\0", name)].decode()
                    self.symbols.append(_Symbol(text, number, value, size, info >> 4 in _GLOBAL_AND_WEAK))

    def relocations(self):
        """(section that is changed, offset in it, type, symbol, addend)."""
        for section in self.sections:
            if section.kind == _RELA and self.sections[section.info].flags & _ALLOC:
                for offset, info, addend in struct.iter_unpack("<QQq", section.data):
                    yield section.info, offset, info & 0xFFFFFFFF, self.symbols[info >> 32], addend


def link(objects: Sequence[bytes]) -> LinkedCode:
    """The object files of one function, put together."""
    return _Linker([_ObjectFile(data) for data in objects]).code()


class _Linker:
    """places   (file, section) -> where it begins
    stubs    function of the C library -> where the jump to it is
    table    what a word in the data stands for -> where that word is
    """

    def __init__(self, files: list[_ObjectFile]):
        self.files = files
        self.memory = bytearray()
        self.places: dict[tuple[int, int], int] = {}
        self.table: dict[tuple[str, int], int] = {}
        self._lay_out(written=False)
        self.missing = self._missing()
        self._align(16)
        self.stubs = {name: len(self.memory) + 8 * k for k, name in enumerate(self.missing)}
        self.memory.extend(bytes(8 * len(self.missing)))
        self._align(LARGEST_PAGE)
        self.data_begin = len(self.memory)
        self._lay_out(written=True)
        self._align(8)
        self.symbols = {
            symbol.name: (self.places[number, symbol.section] + symbol.value, symbol.size)
            for number, file in enumerate(files) for symbol in file.symbols if symbol.is_global and symbol.section
        }  # fmt: skip

    def code(self) -> LinkedCode:
        for k, (_, at) in enumerate(self.stubs.items()):
            struct.pack_into("<2si", self.memory, at, _JUMP, self._word("external", k) - (at + 6))
        addresses = self._settle()
        addresses += [(where, what) for (kind, what), where in self.table.items() if kind == "address"]
        externals = [(where, self.missing[k]) for (kind, k), where in self.table.items() if kind == "external"]
        if any(where < self.data_begin for where, _ in addresses):
            raise UnsupportedError("the compiled code has absolute addresses in it, which cannot be saved")
        return LinkedCode(bytes(self.memory), self.data_begin, self.symbols, tuple(addresses), tuple(externals))

    def _align(self, alignment: int) -> None:
        self.memory.extend(bytes(-len(self.memory) % alignment))

    def _lay_out(self, *, written: bool) -> None:
        for number, file in enumerate(self.files):
            for k, section in enumerate(file.sections):
                if section.flags & _ALLOC and bool(section.flags & _WRITE) == written:
                    self._align(section.alignment)
                    self.places[number, k] = len(self.memory)
                    self.memory.extend(section.data)

    def _missing(self) -> list[str]:
        """Functions that no file has: the C library's."""
        every = [symbol for file in self.files for symbol in file.symbols if symbol.is_global]
        defined = {symbol.name for symbol in every if symbol.section}
        return list(dict.fromkeys(symbol.name for symbol in every if symbol.name not in defined))

    def _word(self, kind: str, what: int) -> int:
        """Where the word is that holds an address only the loading process knows."""
        if (kind, what) not in self.table:
            self.table[kind, what] = len(self.memory)
            self.memory.extend(bytes(8))
        return self.table[kind, what]

    def _target(self, number: int, symbol: _Symbol) -> int:
        if symbol.section:
            found = self.places.get((number, symbol.section))
            offset = symbol.value
        else:
            known = self.symbols.get(symbol.name)
            found, offset = (self.stubs.get(symbol.name) if known is None else known[0]), 0
        if found is None:
            raise CodegenError(f"the compiled code refers to {symbol.name!r}, which is nowhere")
        return found + offset

    def _settle(self) -> list[tuple[int, int]]:
        """Fill in all that is known now; absolute addresses, (where, of what), are not."""
        absolute = []
        for number, file in enumerate(self.files):
            for section, offset, kind, symbol, addend in file.relocations():
                where, target = self.places[number, section] + offset, self._target(number, symbol)
                if kind in (_PC32, _PLT32):
                    struct.pack_into("<i", self.memory, where, target + addend - where)
                elif kind == _PC64:
                    struct.pack_into("<q", self.memory, where, target + addend - where)
                elif kind in (_GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX):
                    word = self._word("address", target)
                    struct.pack_into("<i", self.memory, where, word + addend - where)
                elif kind == _64:
                    absolute.append((where, target + addend))
                else:
                    raise UnsupportedError(f"the compiled code has a reference of type {kind}, which cannot be saved")
        return absolute
