"""Results of long measurements, kept as they come: what a file has already is not computed again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import typer

from ..errors import InputError

INTO = typer.Option("", help="Append results to this file (JSON lines); those in it are not computed again.")


class Written(Protocol):
    """A result that goes to a file and comes back."""

    def as_dictionary(self) -> dict[str, Any]: ...

    @classmethod
    def from_dictionary(cls, data: dict[str, Any]) -> Any: ...


Result = TypeVar("Result", bound=Written)


class KeptResults(Generic[Result]):
    """`all` of one kind: those of the file `into` first, if one is named."""

    def __init__(self, into: str, kind: type[Result]):
        self._file = Path(into) if into else None
        if self._file and not self._file.resolve().parent.is_dir():
            raise InputError(f"--into {into}: there is no folder {str(self._file.parent)!r}; make it first")
        self.all: list[Result] = self._read(kind)
        self.known = tuple(self.all)

    def _read(self, kind: type[Result]) -> list[Result]:
        if self._file is None or not self._file.exists():
            return []
        try:
            lines = [line for line in self._file.read_text().splitlines() if line.strip()]
            return [kind.from_dictionary(json.loads(line)) for line in lines]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"--into {self._file}: not a file of this command ({error}); name another") from None

    def add(self, result: Result) -> None:
        self.all.append(result)
        if self._file:
            with self._file.open("a") as stream:
                stream.write(json.dumps(result.as_dictionary()) + "\n")
