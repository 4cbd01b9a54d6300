"""Results of long measurements, kept as they come: what a file has already is not computed again."""

from __future__ import annotations

import json
import os
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
            self._append(self._file, json.dumps(result.as_dictionary()) + "\n")

    @staticmethod
    def _append(file: Path, line: str) -> None:
        """All of a line, or nothing: others may append to the file, too, so it is not replaced."""
        try:
            before = file.stat().st_size if file.exists() else 0
            try:
                with file.open("ab", buffering=0) as stream:
                    stream.write(line.encode())
                whole = file.stat().st_size >= before + len(line.encode())
            except OSError:
                os.truncate(file, before)
                raise
            if not whole:
                os.truncate(file, before)
                raise OSError("No space left on device")
        except OSError as error:
            raise InputError(f"--into {file}: could not be written: {error.strerror or error}") from None
