"""What an outcome leaves in the output folder besides its record: tables as CSV, figures as SVG and PNG."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ..atomic_file import write_atomically
from ..printable import printable
from .item import Diagram, Figure, Stack, Table
from .item_figures import drawn
from .reproducing import Outcome

NO_MATPLOTLIB = (
    "matplotlib is not installed, so this is not drawn; its numbers are in the record. pip install 'linkwright[plot]'"
)


def shown(outcome: Outcome) -> list[Table | Figure]:
    if outcome.record is None or outcome.failure:
        return []
    return outcome.item.show(outcome.record["values"])


def stem(outcome: Outcome, k: int) -> str:
    return f"{outcome.item.paper}-{outcome.item.name}-{k}"


def write_files(outcome: Outcome, output: Path) -> tuple[list[Path], bool]:
    """(files written, whether figures could be drawn)."""
    written, could_draw = [], True
    for k, thing in enumerate(shown(outcome), start=1):
        if isinstance(thing, Table):
            files = {"csv": table_csv(thing)}
        else:
            files = {"csv": figure_csv(thing)}
            pictures = drawn(thing)
            could_draw = could_draw and pictures is not None
            files.update(pictures or {})
        for kind, content in files.items():
            path = output / f"{stem(outcome, k)}.{kind}"
            write_atomically(path, content)
            written.append(path)
    return written, could_draw


def table_csv(table: Table) -> bytes:
    return _csv([table.columns, *table.rows])


def figure_csv(figure: Figure) -> bytes:
    """One line per point of every series of every panel."""
    rows: list[Sequence[object]] = [("panel", "series", "x", "y", "low", "high", "deviation")]
    for panel in figure.panels:
        content = panel.content
        if isinstance(content, Diagram):
            rows += [(panel.title, style, a, b, "", "", "") for a, b, style in content.edges]
        elif isinstance(content, Stack):
            for part, heights in content.parts.items():
                rows += [(panel.title, part, bar, h, "", "", "") for bar, h in zip(content.bars, heights, strict=True)]
        else:
            for s in content:
                for k, (x, y) in enumerate(zip(s.x, s.y, strict=True)):
                    rest = ["" if values is None else values[k] for values in (s.low, s.high, s.spread)]
                    rows.append((panel.title, s.label, x, "" if y is None else y, *rest))
    return _csv(rows)


def write_results(outcomes: Sequence[Outcome], output: Path) -> Path:
    """All of it as one JSON file."""
    document = [
        {
            "paper": o.item.paper,
            "item": o.item.name,
            "title": o.item.title,
            "claim": o.item.claim,
            "verdict": o.verdict,
            "failure": o.failure,
            "checks": [asdict(c) for c in o.checks],
            "record": o.record,
        }
        for o in outcomes
    ]
    path = output / "results.json"
    write_atomically(path, json.dumps(document, indent=1).encode())
    return path


def _csv(rows: Sequence[Sequence[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([[_csv_cell(x) for x in row] for row in rows])
    return text.getvalue().encode()


def _csv_cell(value: object) -> object:
    return "" if value is None else printable(value) if isinstance(value, str) else value
