"""Measures items one after the other, keeps what is finished, and goes on where it was interrupted."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..errors import LinkwrightError
from .environment import PEERS, circumstances, sources_digest
from .item import Check, Item, verdict
from .records import Records
from .run import Run


@dataclass
class Outcome:
    """Of one item: its record, or why there is none."""

    item: Item
    record: dict[str, Any] | None = None
    checks: list[Check] = field(default_factory=list)
    failure: str = ""
    kept: bool = False  # from an earlier run

    @property
    def verdict(self) -> str:
        if self.failure:
            return "failed"
        return "not measured" if self.record is None else verdict(self.checks)

    def as_dictionary(self) -> dict[str, Any]:
        """What a section of the committed record keeps of it."""
        record = self.record or {}
        kept = {key: record.get(key) for key in ("size", "took", "finished", "robots")}
        checks = [asdict(check) for check in self.checks]
        return {"item": self.item.label, "title": self.item.title, "verdict": self.verdict, "checks": checks, **kept}


def records_of(run: Run, output: Path) -> Records:
    """Keyed by all that numbers depend on; what holds for all items alike is asked for only once."""
    known = circumstances()
    return Records(
        output,
        {
            "sources": sources_digest(),
            "version": known["versions"]["linkwright"],
            "packages": {name: known["versions"][name] for name in ("numpy", "example-robot-data", "jvrc-description")},
            "size": run.size,
            "seconds": run.seconds,
            "machine": known["machine"],
            "peers": [*(known["versions"][name] for name in PEERS), run.peers.cpp_allowed, run.peers.has_grbda],
            "robots": {name: given.digest() for name, given in run.robots.given.items()},
        },
    )


def finished(items: Sequence[Item], records: Records) -> list[Outcome]:
    """Outcomes of those items that need no measurement."""
    outcomes = []
    for item in items:
        record = records.load(item)
        if record is not None:
            outcomes.append(judged(item, record, kept=True))
    return outcomes


def reproduce(
    items: Sequence[Item],
    run: Run,
    records: Records,
    *,
    again: bool = False,
    done: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """One outcome per item. `done` hears of each as soon as it is there; after an interruption the others are left.

    Items without times come first: meanwhile Pinocchio's C++ is built, which would disturb the others.
    """
    outcomes = {}
    kept = {} if again else {item.label: records.load(item) for item in items}
    timed = {item.label for item in items if item.timed and run.times and kept.get(item.label) is None}
    if timed:
        run.peers.begin_building()
    for item in sorted(items, key=lambda item: item.label in timed):
        record = kept.get(item.label)
        if record is not None:
            outcome = judged(item, record, kept=True)
        else:
            if item.label in timed:
                run.progress("waiting until Pinocchio's C++ is built (once)")
                run.peers.ready()
            outcome = _measured(item, run, records)
        outcomes[item.label] = outcome
        done(outcome)
    return [outcomes[item.label] for item in items]


def judged(item: Item, record: dict[str, Any], *, kept: bool = False) -> Outcome:
    try:
        return Outcome(item, record, item.judge(record["values"]), kept=kept)
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError) as error:
        return Outcome(item, record, failure=f"its values cannot be judged: {type(error).__name__}: {error}", kept=kept)


def _measured(item: Item, run: Run, records: Records) -> Outcome:
    run.progress(item.title)
    run.robots.used.clear()
    start = time.perf_counter()
    try:
        values = item.measure(run)
    except LinkwrightError as error:
        return Outcome(item, failure=str(error))
    except (
        ArithmeticError,
        AttributeError,
        ImportError,
        LookupError,
        MemoryError,
        OSError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        # one item must not take the others with it; its name tells that it is a fault of ours
        return Outcome(item, failure=f"{type(error).__name__}: {error}")
    known = circumstances()
    about = {
        "finished": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "took": round(time.perf_counter() - start, 1),
        "size": run.size,
        "robots": dict(run.robots.used),
        "peers": run.peers.about if item.timed and run.times else [],
        **known,
    }
    return judged(item, records.store(item, values, about))
