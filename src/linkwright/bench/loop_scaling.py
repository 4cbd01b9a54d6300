"""How the cost of loop solvers grows with the number of links: [Sathya2025] Figures 6 to 9."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

from .. import trace_program
from ..errors import MissingExtraError
from ..programs import RECIPES
from ..sim.figure_file import write_figure
from ..trace import count_operations
from .loop_systems import FAMILIES, LINEAR
from .loop_times import LoopTimes, measure_model
from .peers.pinocchio_cpp import PinocchioCpp

LINKS = (15, 29, 50, 99, 148, 197)
# Solvers whose cost grows with the cube are followed only so far: their programs would be too large to compile.
FARTHEST = {"lcaba": 200, "prox_bbo": 200, "prox_ltl": 50}
FARTHEST_COUPLED = {"lcaba": 100, "prox_bbo": 60, "prox_ltl": 50}
ALGORITHMS = tuple(name for name in FARTHEST if name in RECIPES)


@dataclass(frozen=True)
class ScalingPoint:
    """One member of a family; one iteration; microseconds."""

    family: str
    links: int
    rows: int
    operations: dict[str, int]
    single: dict[str, float]
    batched: dict[str, float]
    peers: dict[str, float]

    def as_dictionary(self) -> dict:
        return asdict(self)


def measure(
    families: Sequence[str] = tuple(FAMILIES), links: Sequence[int] = LINKS, algorithms: Sequence[str] = ALGORITHMS, *,
    peer: PinocchioCpp | None, seconds: float = 1.0, progress: Callable[[str], None] = lambda step: None,
) -> Iterator[ScalingPoint]:  # fmt: skip
    for family in families:
        farthest = FARTHEST if family in LINEAR else FARTHEST_COUPLED
        for n in links:
            chosen = [name for name in algorithms if n <= farthest[name]]
            if not chosen:
                continue
            model = FAMILIES[family](n)
            times: LoopTimes = measure_model(
                f"{family} of {model.nbodies - 1} links", model, chosen, peer=peer, iterations=(1,), seconds=seconds,
                progress=progress,
            )  # fmt: skip
            yield ScalingPoint(
                family, model.nbodies - 1, model.nc,
                {t.algorithm: t.operations for t in times.ours}, {t.algorithm: t.single for t in times.ours},
                {t.algorithm: t.batched for t in times.ours},
                {key.removesuffix(" 1"): value for key, value in times.peers.items()},
            )  # fmt: skip


def operations(family: str, links: int, algorithm: str = "lcaba") -> tuple[int, int]:
    """Number of links there are, and operations of one iteration."""
    model = FAMILIES[family](links)
    program = trace_program(model, algorithm, outputs="a", iterations=1)
    return model.nbodies - 1, count_operations(program).total


def plot(points: Sequence[ScalingPoint], path: str) -> None:
    """A column per family: operations above, microseconds below, each over the number of links."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing the figure") from None
    families = list(dict.fromkeys(point.family for point in points))
    figure = Figure(figsize=(3.6 * len(families), 6.5), layout="constrained")
    grid = figure.subplots(2, len(families), squeeze=False, sharex="col")
    colours = {name: f"C{k}" for k, name in enumerate(FARTHEST)}
    for column, family in enumerate(families):
        own = [point for point in points if point.family == family]
        above, below = grid[:, column]
        for name in ALGORITHMS:
            have = [p for p in own if name in p.operations]
            if not have:
                continue
            links = [p.links for p in have]
            above.plot(links, [p.operations[name] / 1e3 for p in have], "o-", color=colours[name], label=name)
            below.plot(links, [p.single[name] for p in have], "o-", color=colours[name], label=f"{name}, one call")
            below.plot(
                links, [p.batched[name] for p in have], "^--", color=colours[name], label=f"{name}, in a batch"
            )
        for marker, name in (("s:", "lcaba"), ("d:", "prox_ltl")):
            have = [p for p in own if name in p.peers]
            if have:
                times = [p.peers[name] for p in have]
                below.plot([p.links for p in have], times, marker, color="gray", label=f"Pinocchio {name}")
        last, total = own[-1], own[-1].operations[next(iter(own[-1].operations))] / 1e3  # of the first algorithm
        if family in LINEAR:
            each = f"{1e3 * total / last.links:.0f} per link"
            above.plot([0, last.links], [0, total], "k:", lw=1, label=each)
        above.set(title=family, xlim=0, ylim=(0, 1.15 * total))
        # what grows faster than the slowest that is linear leaves the picture at the top
        slowest = [time for p in own for time in (*p.single.values(), p.peers.get("lcaba", 0.0))]
        below.set(xlabel="links", ylim=(0, 1.15 * max(slowest)))
        for axes in (above, below):
            axes.grid(alpha=0.3)
        above.legend(fontsize=8)
    grid[0, 0].set_ylabel("thousand operations")
    grid[1, 0].set_ylabel("microseconds, one iteration")
    grid[1, 0].legend(fontsize=7, loc="upper left")
    write_figure(figure, path)
