"""Operation counts are exact, so they are snapshots: a change here is a change of speed, and must be meant."""

import pytest

import linkwright as lw
from linkwright.robots import chain, humanoid, quadruped

# (aba, rnea, crba)
SNAPSHOTS = {
    "chain of 6": (chain(6), (0, 0, 0)),
    "quadruped": (quadruped(), (0, 0, 0)),
    "humanoid": (humanoid(), (0, 0, 0)),
}
ALGORITHMS = ("aba", "rnea", "crba")


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_built_in_robots(name):
    model, expected = SNAPSHOTS[name]
    assert tuple(total(model, algorithm) for algorithm in ALGORITHMS) == expected


# Talos' ABA took 14,729 operations with spatial accelerations, matrix rotations and plain inertias.
ROBOT_SNAPSHOTS = {"talos": (0, 0, 0), "g1": (0, 0, 0), "solo12": (0, 0, 0), "icub": (0, 0, 0), "allegro": (0, 0, 0)}


@pytest.mark.parametrize("name", ROBOT_SNAPSHOTS)
def test_packaged_robots(name):
    pytest.importorskip("pinocchio", reason="comes with the robots extra")
    model = lw.load(name)
    assert tuple(total(model, algorithm) for algorithm in ALGORITHMS) == ROBOT_SNAPSHOTS[name]


def total(model, algorithm):
    from linkwright.trace import count_operations

    return count_operations(lw.trace_program(model, algorithm)).total
