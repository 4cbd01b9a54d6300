"""`linkwright bench compile`: how compile time grows with the number of links, and what a warm start takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

from .. import compile as compile_algorithm
from .. import trace_program
from ..errors import MissingExtraError
from ..robots import chain
from ..sim.figure_file import write_figure

LINKS = (25, 50, 100, 200, 400)


@dataclass(frozen=True)
class CompileTime:
    links: int
    operations: int
    trace_seconds: float
    first_seconds: float  # everything: trace, code generation, loading
    warm_seconds: float  # from the cache
    peak_megabytes: float | None  # of this process and of the largest worker, so far

    def as_dictionary(self) -> dict:
        return asdict(self)


def measure(
    links: Sequence[int] = LINKS, algorithm: str = "aba", *, progress: Callable[[str], None] = lambda step: None
) -> Iterator[CompileTime]:
    """Chains of revolute joints, compiled anew and then from the cache."""
    for n in links:
        progress(f"{algorithm} of a chain of {n} links")
        model = chain(n)
        start = time.perf_counter()
        trace_program(model, algorithm)
        traced = time.perf_counter() - start
        start = time.perf_counter()
        compile_algorithm(model, algorithm, cache=False)
        first = time.perf_counter() - start
        compile_algorithm(model, algorithm)
        start = time.perf_counter()
        warm = compile_algorithm(model, algorithm)
        seconds = time.perf_counter() - start
        yield CompileTime(n, warm.operations.total, traced, first, seconds, _peak_megabytes())


def plot(results: Sequence[CompileTime], path: str) -> None:
    """Seconds over links, with the straight line through the last point."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing the figure") from None
    links = [r.links for r in results]
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(links, [r.first_seconds for r in results], "o-", label="first compile")
    axes.plot(links, [r.trace_seconds for r in results], "s-", label="of which tracing")
    axes.plot(links, [r.warm_seconds for r in results], "^-", label="from the cache")
    slope = results[-1].first_seconds / links[-1]
    axes.plot([0, links[-1]], [0, slope * links[-1]], ":", color="gray", label=f"{slope * 1000:.0f} ms per link")
    axes.set(xlabel="links of a serial chain", ylabel="seconds", title="Compile time of ABA", xlim=0, ylim=0)
    axes.legend()
    axes.grid(alpha=0.3)
    write_figure(figure, path)


def _peak_megabytes() -> float | None:
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return max(usage) / 1024
