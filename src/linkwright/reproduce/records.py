"""Finished items as files: written at once or not at all, and believed only if whole and of the same question.

A record is keyed by the item, our own sources, the versions and the options that its numbers depend on. One that
cannot be read, was cut short or answers another question is measured again.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..atomic_file import write_atomically
from ..errors import InputError
from .item import Item

FOLDER = "records"


def canonical(document: Any) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def plain(value: Any) -> Any:
    """Values as JSON will give them back: keys are texts, tuples are lists, NumPy's numbers are Python's."""
    if isinstance(value, Mapping):
        return {str(key): plain(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [plain(x) for x in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it
    return value


class Records:
    """The records in one output folder, for one set of circumstances."""

    def __init__(self, output: Path, circumstances: Mapping[str, Any]):
        self.folder, self.circumstances = output / FOLDER, dict(circumstances)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write to {output}: {error}; choose another folder with --output") from None

    def key(self, item: Item) -> str:
        relevant = dict(self.circumstances)
        relevant["item"] = _source(item)
        if not item.timed:
            for name in ("peers", "machine", "seconds"):  # counts and accuracies are the same without
                relevant.pop(name, None)
        files = relevant.get("robots", {})
        relevant["robots"] = {name: files[name] for name in item.robots if name in files}
        return hashlib.sha256(canonical([item.label, relevant]).encode()).hexdigest()[:16]

    def path(self, item: Item) -> Path:
        return self.folder / f"{item.paper}-{item.name}-{self.key(item)}.json"

    def load(self, item: Item) -> dict[str, Any] | None:
        try:
            record = json.loads(self.path(item).read_text(encoding="utf-8"))
            intact = record["digest"] == _digest(record["values"]) and record["key"] == self.key(item)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return record if intact else None

    def store(self, item: Item, values: Any, about: Mapping[str, Any]) -> dict[str, Any]:
        values = plain(values)
        record = {
            "item": item.label,
            "key": self.key(item),
            "digest": _digest(values),
            **plain(about),
            "values": values,
        }
        write_atomically(self.path(item), json.dumps(record, indent=1).encode())
        return record


def _source(item: Item) -> str:
    """Of the module that measures it: an item whose text changed is measured anew, others are not."""
    file = inspect.getsourcefile(getattr(item.measure, "func", item.measure))
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16] if file else ""


def _digest(values: Any) -> str:
    return hashlib.sha256(canonical(values).encode()).hexdigest()
