"""`Item`: one table or figure of a paper. What measures it, what judges it and what shows it are three functions.

`measure` is the only one that takes time; its values are plain data that a record keeps. The other two are functions of
these values alone, so that a record can be judged and drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..scalar import Numbers

if TYPE_CHECKING:
    from .run import Run

Values = dict[str, Any]
"""What JSON can hold: numbers, texts, lists, and dictionaries whose keys are texts."""


@dataclass(frozen=True)
class Paper:
    key: str  # as docs/references.md has it
    title: str


JUDGEMENTS = ("Ours is better: ", "Ours is dearer: ", "The comparison is unfair: ", "Not known: ")
"""What a reason begins with: whether a difference to a paper speaks for ours, against it, or says little."""


@dataclass(frozen=True)
class Check:
    """One statement of the paper, and whether it holds here. None: nothing was measured that could tell."""

    statement: str
    holds: bool | None
    finding: str  # the numbers it was decided by
    reason: str = ""  # if it does not hold: one of JUDGEMENTS, and why, as far as counts tell


@dataclass(frozen=True)
class Table:
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True)
class Series:
    """A line, or with `kind="bar"` one bar per x. `low` and `high` are extremes, `spread` a deviation."""

    label: str
    x: Sequence[Any]
    y: Sequence[float | None]
    kind: str = "line"
    low: Numbers | None = None
    high: Numbers | None = None
    spread: Numbers | None = None


@dataclass(frozen=True)
class Stack:
    """Bars that are made of parts: part -> one height per bar."""

    bars: Sequence[str]
    parts: Mapping[str, Numbers]


@dataclass(frozen=True)
class Diagram:
    """Nodes at places, and lines between them: (from, to, style). A node's text may have several lines."""

    nodes: Mapping[str, tuple[float, float]]
    edges: Sequence[tuple[str, str, str]]
    faded: Sequence[str] = ()
    boxes: bool = False


@dataclass(frozen=True)
class Panel:
    title: str
    content: Sequence[Series] | Stack | Diagram
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Figure:
    title: str
    panels: Sequence[Panel]
    columns: int = 2


@dataclass(frozen=True)
class Item:
    paper: str  # its key
    name: str  # "table-2"
    title: str
    claim: str  # what the paper says, in a sentence or two
    source: str  # where: "Table II, Sec. VI-B"
    measure: Callable[[Run], Values]
    judge: Callable[[Values], list[Check]]
    show: Callable[[Values], list[Table | Figure]]
    also: tuple[str, ...] = ()  # further names: figures that are drawn from the same numbers
    timed: bool = False  # whether times are part of it, so that peers and clocks matter
    robots: tuple[str, ...] = ()  # roles that `--robot NAME=FILE` can fill

    @property
    def label(self) -> str:
        return f"{self.paper} {self.name}"


def verdict(checks: Sequence[Check]) -> str:
    judged = [c.holds for c in checks if c.holds is not None]
    if not judged:
        return "not judged"
    if all(judged):
        return "reproduced"
    return "partly reproduced" if any(judged) else "not reproduced"


def left_out(systems: Values) -> list[Table]:
    """What of contests was not timed, and why."""
    rows = [[name, note] for name, x in systems.items() for note in x.get("notes", ())]
    rows += [
        [name, f"{', '.join(x['untimed'])}: too large to compile in the time at hand"]
        for name, x in systems.items()
        if x.get("untimed")
    ]
    return [Table("Not timed", ["system", "why"], rows)] if rows else []


def timings(systems: Values) -> list[Table]:
    """Every time of contests as it was measured, peers' too, with the error of what was timed where it is known."""
    rows = [
        [system, label, t["best"], t["median"], t["spread"], x["errors"].get(label.rpartition(",")[0] or label),
         x["iterations"].get(label), x.get("noise")]
        for system, x in systems.items()
        for label, t in x["times"].items()
    ]  # fmt: skip
    columns = ["system", "what", "best", "median", "spread", "error", "iterations", "noise"]
    title = "Times as taken: best, median, spread (quartiles over median) in us; errors relative to the referee"
    return [Table(title, columns, rows)] if rows else []


def best(values: Values, name: str, how: str = "single") -> float | None:
    """Microseconds of a contender of a contest, None if it was not timed."""
    times = values["times"]
    found = times.get(f"{name}, {how}", times.get(name))
    return None if found is None else found["best"]
