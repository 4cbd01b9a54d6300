"""The record: what README and documents say in numbers, one JSON file per command that measured them.

`linkwright bench tree --record docs/measured` writes the section `docs/measured/tree.json`: results, machine, versions,
command, day. `linkwright reproduce --write-docs` makes tables and pictures of the sections.
A section is replaced as a whole, so that all of its numbers are of one run on one machine.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..atomic_file import write_atomically
from ..errors import InputError
from .environment import circumstances, sources_digest
from .records import plain

FOLDER = "docs/measured"


@dataclass(frozen=True)
class Section:
    """`content` has machine, versions, command, finished, sources, load, results, and what its command adds."""

    name: str  # of the command: "tree", "contact", "reproduce"
    content: Mapping[str, Any]

    @property
    def results(self) -> list[dict[str, Any]]:
        return self.content["results"]

    def row(self, **wanted: Any) -> dict[str, Any]:
        """The one result with these values."""
        found = [r for r in self.results if all(r.get(key) == value for key, value in wanted.items())]
        if len(found) != 1:
            asked = ", ".join(f"{key} {value}" for key, value in wanted.items())
            raise InputError(
                f"section {self.name!r} of the record has {len(found)} results with {asked}, expected one: "
                f"measure it anew, with `{self.content['command'].partition(' --')[0]} --record {FOLDER}`"
            )
        return found[0]

    @property
    def is_current(self) -> bool:
        """Whether our sources are those it was measured with."""
        return self.content["sources"] == sources_digest()

    @property
    def machine(self) -> str:
        """ "AMD EPYC, 8 lanes, Python 3.11.2", for a sentence."""
        known = self.content["machine"]
        lanes = f", {known['lanes']} lanes" if known.get("lanes") else ""
        return f"{known['processor']}{lanes}, Python {known['python']}"

    @property
    def day(self) -> str:
        return self.content["finished"][:10]

    def numbers(self) -> Iterator[float]:
        yield from _numbers(self.content)


def check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"--record {folder}: there is no such folder; in a clone of the project it is {FOLDER}")


def write_section(folder: Path, name: str, results: Sequence[Any], **document: Any) -> Path:
    """`results` have `as_dictionary`, or are dictionaries."""
    check_folder(folder)
    rows = [r.as_dictionary() if hasattr(r, "as_dictionary") else r for r in results]
    content = {
        **circumstances(),
        "finished": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "sources": sources_digest(),
        "load": _load(),
        **document,
        "results": rows,
    }
    path = folder / f"{name}.json"
    write_atomically(path, (json.dumps(_short(plain(content)), indent=1) + "\n").encode())
    return path


def read_sections(folder: Path) -> dict[str, Section]:
    sections = {}
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            missing = {"machine", "versions", "command", "finished", "sources", "results"} - set(content)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(f"{path}: not a section of a record: {error}") from None
        if missing:
            raise InputError(f"{path}: not a section of a record: without {', '.join(sorted(missing))}")
        sections[path.stem] = Section(path.stem, content)
    return sections


def _load() -> list[float] | None:
    """Of the last 1, 5 and 15 minutes: about 1 where nothing else was computing."""
    return list(os.getloadavg()) if hasattr(os, "getloadavg") else None


def _short(value: Any) -> Any:
    """Six digits of every number: a clock has no more, and files stay small."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: _short(x) for key, x in value.items()}
    return [_short(x) for x in value] if isinstance(value, list) else value


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, Mapping):
        for x in value.values():
            yield from _numbers(x)
    elif isinstance(value, list):
        for x in value:
            yield from _numbers(x)
