"""Operation counts are exact, so they are snapshots: a change here is a change of speed, and must be meant."""

import pytest

import linkwright as lw
from linkwright.algorithms.tree.aba import aba
from linkwright.model import Tree
from linkwright.robots import chain, humanoid, quadruped
from linkwright.trace import count_operations, simplify, trace

# (aba, rnea, crba)
SNAPSHOTS = {
    "chain of 6": (chain(6), (751, 340, 219)),
    "quadruped": (quadruped(), (2243, 1021, 561)),
    "humanoid": (humanoid(), (5768, 2347, 2451)),
}
ALGORITHMS = ("aba", "rnea", "crba")


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_built_in_robots(name):
    model, expected = SNAPSHOTS[name]
    assert tuple(total(model, algorithm) for algorithm in ALGORITHMS) == expected


# Talos' ABA took 14,729 operations with spatial accelerations, matrix rotations and plain inertias.
ROBOT_SNAPSHOTS = {
    "talos": (10941, 5099, 5476),
    "g1": (8730, 3674, 4212),
    "solo12": (2559, 1165, 607),
    "icub": (12133, 4888, 7530),
    "allegro": (1804, 1083, 402),
}


@pytest.mark.parametrize("name", ROBOT_SNAPSHOTS)
def test_packaged_robots(name):
    pytest.importorskip("pinocchio", reason="comes with the robots extra")
    model = lw.load(name)
    assert tuple(total(model, algorithm) for algorithm in ALGORITHMS) == ROBOT_SNAPSHOTS[name]


def test_talos_beats_a_direct_transcription():
    pytest.importorskip("pinocchio", reason="comes with the robots extra")
    assert total(lw.load("talos"), "aba") < 14_729


def test_chosen_frames_pay_on_skew_axes():
    """Frames aligned only, against frames chosen: fewer operations on robots whose joints are not at right angles."""
    pytest.importorskip("pinocchio", reason="comes with the robots extra")
    for name in ("icub", "allegro", "g1"):
        model = lw.load(name)
        counts = []
        for chosen in (False, True):
            tree = Tree(model, choose_cheap_frames=chosen)
            sizes = {"q": model.nq, "v": model.nv, "tau": model.nv}
            program = trace(lambda q, v, tau, tree=tree: aba(tree, q, v, tau), sizes)
            counts.append(count_operations(simplify(program)).total)
        assert counts[1] < counts[0]


def total(model, algorithm):
    return count_operations(lw.trace_program(model, algorithm)).total
