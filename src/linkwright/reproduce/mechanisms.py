"""Mechanisms that appear only in the papers' figures: ladders, common tips, the example graph, welded chains."""

from __future__ import annotations

import math

from ..model import GROUND, Inertia, Model, ModelBuilder, Pose
from ..model.constraints import weld
from ..model.editing import attach
from ..model.joint import fixed, free_flyer, revolute
from ..robots.hands import add_hand
from ..robots.patterns import LINK_LENGTH, LINK_MASS, LINK_WIDTH, chain, stem_with_branches

ROD = Inertia.box(LINK_MASS, (LINK_LENGTH, LINK_WIDTH, LINK_WIDTH), (LINK_LENGTH / 2, 0, 0))
_RIGHT_ANGLE = math.pi / 2


def _rod(builder: ModelBuilder, name: str, parent: str, *, at: float, skew: float = _RIGHT_ANGLE, turn: float = 0.0):
    placement = Pose.from_rpy((at, 0, 0), (skew, 0, turn))
    return builder.add_body(name, revolute(f"{name}_joint", "z"), parent=parent, placement=placement, inertia=ROD)


def _run(builder: ModelBuilder, name: str, n: int, parent: str, *, at: float, turn: float = 0.0) -> str:
    for k in range(1, n + 1):
        parent = _rod(builder, f"{name}_{k}", parent, at=at, turn=turn, skew=0.0 if k == 1 else _RIGHT_ANGLE)
        at, turn = LINK_LENGTH, 0.0
    return parent


def common_tip(branches: int, length: int = 7) -> Model:
    """[Sathya2025] Fig. 9a: chains from one floating hub, all their tips welded to the tip of the last one."""
    builder = ModelBuilder(f"common_tip_{branches}_{length}")
    builder.add_body("hub", free_flyer("root_joint"), inertia=ROD)
    tips = []
    for b in range(1, branches + 1):
        # no turn is a right angle, whose zeros would make that branch cheaper
        last = _run(builder, f"branch{b}", length, "hub", at=0.0, turn=2 * math.pi * (b - 2 / 3) / branches)
        tips.append(builder.add_frame(f"tip{b}", last, (LINK_LENGTH, 0, 0)))
    return builder.build().with_constraints(*(weld(tip, tips[-1], name=f"weld_{tip}") for tip in tips[:-1]))


EXAMPLE_PARENTS = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 3, 8: 7, 9: 3, 10: 9, 11: 10}
EXAMPLE_CUTS = ((6, 8), (8, 11))


def example_graph() -> Model:
    """[Sathya2025] Fig. 4: eleven links, cut joints between 6 and 8 and between 8 and 11."""
    builder = ModelBuilder("example_graph")
    names = {0: GROUND}
    for link, parent in EXAMPLE_PARENTS.items():
        turn = {4: 0.7, 7: 0.1, 9: -0.7}.get(link, 0.0)
        at = LINK_LENGTH if parent else 0.0
        names[link] = _rod(
            builder, f"link_{link}", names[parent], at=at, skew=_RIGHT_ANGLE if parent else 0.0, turn=turn
        )
        builder.add_frame(f"end_{link}", names[link], (LINK_LENGTH, 0, 0))
    return builder.build().with_constraints(
        *(weld(f"end_{a}", f"end_{b}", name=f"cut_{a}_{b}") for a, b in EXAMPLE_CUTS)
    )


def ladder(rungs: int, rung_links: int = 7, side_links: int = 3) -> Model:
    """[Sathya2024] Fig. 4b: rungs of seven links, three links between them on one side, their other ends welded."""
    builder = ModelBuilder(f"ladder_{rungs}")
    carrier, tips = GROUND, []
    for r in range(1, rungs + 1):
        if r > 1:
            carrier = _run(builder, f"side{r - 1}", side_links, carrier, at=0.0 if r == 2 else LINK_LENGTH)
        at = 0.0 if carrier == GROUND else LINK_LENGTH
        last = _run(builder, f"rung{r}", rung_links, carrier, at=at, turn=1.0)
        tips.append(builder.add_frame(f"rung{r}_tip", last, (LINK_LENGTH, 0, 0)))
    return builder.build().with_constraints(*map(weld, tips))


def welded_chain(n: int, every: int = 1) -> Model:
    """A chain on the ground whose links every, 2 every, ... n are welded: [Sathya2023] Fig. 4."""
    model = chain(n)
    return model.with_constraints(*(weld(f"link_{k}") for k in range(every, n + 1, every)))


def welded_stem(stem: int, branches: int, length: int = 7) -> Model:
    """[Sathya2023] Fig. 3a, [Sathya2024] Fig. 2e: a stem with branches at both ends, their tips welded."""
    model = stem_with_branches(stem, branches, length)
    tips = [f"{end}_{k}_tip" for end in ("front", "rear") for k in range(1, branches + 1)]
    return model.with_constraints(*map(weld, tips))


def five_fingered_hand() -> Model:
    """Our humanoid's hand alone, on the ground: 24 joints, frames "first_tip", ... "thumb_tip"."""
    builder = ModelBuilder("five_fingered_hand")
    builder.add_body("left_palm", fixed("mount"), inertia=ROD)
    add_hand(builder, "left", False)
    for finger in ("first", "middle", "ring", "little", "thumb"):
        builder.add_frame(f"{finger}_tip", f"left_{finger}_tip")
    return builder.build()


def with_hands(robot: Model, hand: Model, mounts: tuple[str, ...]) -> Model:
    """`hand` on each of these frames; names of the k-th begin with "hand<k>_"."""
    for k, mount in enumerate(mounts, start=1):
        robot = attach(robot, hand, at=mount, prefix=f"hand{k}_")
    return robot
