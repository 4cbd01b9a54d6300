"""`Run`: what an item's measurement is given. How large to make things, robots, peers, clocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from ..compilation import trace_program
from ..model import Model
from ..trace import count_operations
from . import clocks
from .environment import Peers
from .robots import Robots

SIZES = ("full", "quick", "tiny")
T = TypeVar("T")


@dataclass
class Run:
    size: str = "full"  # "tiny" is for tests
    seconds: float = 2.0  # that a group of contenders takes turns; 0: no times
    robots: Robots = field(default_factory=Robots)
    peers: Peers = field(default_factory=Peers)
    progress: Callable[[str], None] = lambda step: None

    def pick(self, full: T, quick: T, tiny: T) -> T:
        return {"full": full, "quick": quick, "tiny": tiny}[self.size]

    @property
    def times(self) -> bool:
        return self.seconds > 0

    def operations(self, model: Model, algorithm: str, **options: Any) -> int:
        """Exact number of operations of one evaluation."""
        self.progress(f"{model.name}: counting {algorithm}")
        return operations(model, algorithm, **options)

    def measured(self, contenders: Mapping[str, clocks.Call], samples: Mapping[str, int] | None = None) -> dict:
        return clocks.measured(contenders, seconds=self.seconds, samples=samples)


def operations(model: Model, algorithm: str, **options: Any) -> int:
    return _counted(model, algorithm, tuple(sorted(options.items())))


@lru_cache(maxsize=512)
def _counted(model: Model, algorithm: str, options: tuple[tuple[str, Any], ...]) -> int:
    return count_operations(trace_program(model, algorithm, **dict(options))).total
