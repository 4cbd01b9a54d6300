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
    symbols     name -> offset
    addresses   (where, offset): words that hold the address of something in here
    externals   (where, name): words that hold the address of a function of the C library
    """

    memory: bytes = field(repr=False)
    data_begin: int
    symbols: dict[str, int]
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
                for name, info, _, number, value, _ in struct.iter_unpack("<IBBHQQ", section.data):
                    text = names[name : names.index(b"\0", name)].decode()
                    self.symbols.append(_Symbol(text, number, value, info >> 4 in _GLOBAL_AND_WEAK))

    def relocations(self):
        """(section that is changed, offset in it, type, symbol, addend)."""
        for section in self.sections:
            if section.kind == _RELA and self.sections[section.info].flags & _ALLOC:
                for offset, info, addend in struct.iter_unpack("<QQq", section.data):
                    yield section.info, offset, info & 0xFFFFFFFF, self.symbols[info >> 32], addend


def link(objects: Sequence[bytes]) -> LinkedCode:
    """The object files of one function, put together."""
    files = [_ObjectFile(data) for data in objects]
    memory, places = bytearray(), dict[tuple[int, int], int]()
    read_only, written = list[tuple[int, int]](), list[tuple[int, int]]()
    for number, file in enumerate(files):
        for k, section in enumerate(file.sections):
            if section.flags & _ALLOC:
                (written if section.flags & _WRITE else read_only).append((number, k))

    def lay_out(keys) -> None:
        for number, k in keys:
            section = files[number].sections[k]
            memory.extend(bytes(-len(memory) % section.alignment))
            places[number, k] = len(memory)
            memory.extend(section.data)

    lay_out(read_only)
    missing: list[str] = []
    defined = {s.name for file in files for s in file.symbols if s.section and s.is_global}
    for file in files:
        for symbol in file.symbols:
            if symbol.is_global and not symbol.section and symbol.name not in (*defined, *missing):
                missing.append(symbol.name)
    memory.extend(bytes(-len(memory) % 16))
    stubs = {name: len(memory) + 8 * k for k, name in enumerate(missing)}
    memory.extend(bytes(8 * len(missing)))
    memory.extend(bytes(-len(memory) % LARGEST_PAGE))
    data_begin = len(memory)
    lay_out(written)
    symbols: dict[str, int] = {}
    for number, file in enumerate(files):
        for symbol in file.symbols:
            if symbol.is_global and symbol.section:
                symbols[symbol.name] = places[number, symbol.section] + symbol.value
    memory.extend(bytes(-len(memory) % 8))

    table: dict[tuple[str, int], int] = {}  # what a word of the table stands for -> where it is

    def word(kind: str, what: int) -> int:
        if (kind, what) not in table:
            table[kind, what] = len(memory)
            memory.extend(bytes(8))
        return table[kind, what]

    addresses: list[tuple[int, int]] = []
    for k, name in enumerate(missing):
        at = stubs[name]
        struct.pack_into("<2si", memory, at, _JUMP, word("external", k) - (at + 6))
    for number, file in enumerate(files):
        for section, offset, kind, symbol, addend in file.relocations():
            where = places[number, section] + offset
            if not symbol.section:
                target = symbols.get(symbol.name, stubs.get(symbol.name, -1))
            else:
                target = places.get((number, symbol.section), -1) + symbol.value
            if target < 0:
                raise CodegenError(f"the compiled code refers to {symbol.name!r}, which is nowhere")
            if kind in (_PC32, _PLT32):
                struct.pack_into("<i", memory, where, target + addend - where)
            elif kind == _PC64:
                struct.pack_into("<q", memory, where, target + addend - where)
            elif kind in (_GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX):
                struct.pack_into("<i", memory, where, word("address", target) + addend - where)
            elif kind == _64:
                addresses.append((where, target + addend))
            else:
                raise UnsupportedError(f"the compiled code has a reference of type {kind}, which cannot be saved")
    externals = []
    for (kind_of_word, what), where in table.items():
        if kind_of_word == "external":
            externals.append((where, missing[what]))
        else:
            addresses.append((where, what))
    if any(where < data_begin for where, _ in addresses):
        raise UnsupportedError("the compiled code has absolute addresses in it, which cannot be saved")
    return LinkedCode(bytes(memory), data_begin, symbols, tuple(addresses), tuple(externals))
