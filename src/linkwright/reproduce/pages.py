"""README and documents as far as they are made from the record: `linkwright reproduce --write-docs`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..atomic_file import write_atomically
from ..errors import InputError
from .section_pictures import PICTURES
from .section_tables import SHOWN
from .sections import FOLDER, Section, read_sections

_BLOCK = re.compile(r"(<!-- measured: (?P<name>[\w-]+) -->\n)(?P<text>.*?)(<!-- end -->)", re.DOTALL)
_TABLE_LINE = re.compile(r"^\|.*\|$")
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?:e[-+]\d+)?(?![\w.]|-\d)")


def written(text: str, sections: Mapping[str, Section], page: str = "page") -> str:
    """A page with its blocks made anew."""

    def block(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in SHOWN:
            raise InputError(f"{page}: nothing is called 'measured: {name}'; known are {', '.join(SHOWN)}")
        wanted, shown = SHOWN[name]
        if wanted not in sections:
            raise InputError(f"{page}: 'measured: {name}' needs a section {wanted!r} of the record, which has none")
        section = sections[wanted]
        return f"{match[1]}{shown(section)}\n\n{provenance(section)}\n{match[4]}"

    return _BLOCK.sub(block, text)


def provenance(section: Section) -> str:
    known = section.content
    peer = f" {known['peer']}." if known.get("peer") else ""
    packages = ", ".join(
        f"{name} {known['versions'][name]}" for name in ("Pinocchio", "MuJoCo") if known["versions"].get(name)
    )
    busy = f", load of the machine {known['load'][0]:.1f}" if known.get("load") else ""
    return f"*{section.day}, one core of {section.machine}{busy}; {packages}.{peer} `{known['command']}`*"


def write_pages(root: Path) -> tuple[list[Path], dict[str, Section]]:
    """(Files of the project in `root` that changed, the record they were made of)."""
    folder = root / FOLDER
    if not folder.is_dir() or not (root / "README.md").is_file():
        raise InputError(f"{root}: no README.md and {FOLDER} here; --write-docs works in a clone of the project")
    sections = read_sections(folder)
    changed = []
    for page in pages(root):
        old = page.read_text(encoding="utf-8")
        new = written(old, sections, page.name)
        if new != old:
            write_atomically(page, new.encode())
            changed.append(page)
    for name, (wanted, drawn) in PICTURES.items():
        if wanted in sections:
            path = root / "docs" / name
            picture = drawn(sections[wanted])
            if not path.exists() or path.read_bytes() != picture:
                write_atomically(path, picture)
                changed.append(path)
    return changed, sections


def pages(root: Path) -> list[Path]:
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def without_blocks(text: str) -> str:
    return _BLOCK.sub("", text)


def tables_by_hand(text: str) -> Iterator[str]:
    """Lines of tables that are not made from the record."""
    for line in without_blocks(text).splitlines():
        if _TABLE_LINE.match(line.strip()):
            yield line


def unproven(line: str, sections: Mapping[str, Section]) -> list[str]:
    """Numbers of a table's line that no number of the record rounds to."""
    record = [x for section in sections.values() for x in section.numbers()]
    return [number for number in _NUMBER.findall(line) if not any(_rounds_to(x, number) for x in record)]


def _rounds_to(x: float, number: str) -> bool:
    mantissa, e, _ = number.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(f"{x:.{decimals}{'e' if e else 'f'}}") == float(number)
