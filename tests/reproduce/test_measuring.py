"""Clocks, orders, stages, mechanisms and robots."""

import os

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.reproduce import clocks
from linkwright.reproduce.contests import BATCH, Contestant, consistent_states, contest, referee
from linkwright.reproduce.environment import Peers
from linkwright.reproduce.mechanisms import common_tip, example_graph, five_fingered_hand, ladder, welded_chain
from linkwright.reproduce.papers.growth import crossing, fitted_order, increments
from linkwright.reproduce.papers.loop_convergence import SOLVERS
from linkwright.reproduce.peer_calls import PeerEntry
from linkwright.reproduce.robots import RobotFile, Robots
from linkwright.reproduce.run import Run
from linkwright.reproduce.stage_counts import MATRIX, joint_space_stages, propagation_stages


def test_contenders_take_turns_and_have_a_best_a_median_and_a_spread():
    turns = []
    calls = {"own clock": lambda: turns.append("o") or 2e-6, "slow": lambda: sum(range(2000)), "fast": lambda: None}
    found = clocks.measured(calls, seconds=0.02, samples={"own clock": 2})
    own, slow, fast = (found["times"][name] for name in calls)
    assert own["best"] == pytest.approx(1.0) and own["median"] == pytest.approx(1.0)
    assert slow["best"] > fast["best"] and slow["median"] >= slow["best"] and slow["spread"] >= 0
    assert found["noise"] >= 1 and found["quiet"] == (found["noise"] < clocks.QUIET)


def test_pinned_and_free_again():
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("this system does not let a process choose its core")
    before = os.sched_getaffinity(0)
    with clocks.pinned() as core:
        assert os.sched_getaffinity(0) == {core}
    assert os.sched_getaffinity(0) == before


def test_orders():
    assert fitted_order(range(2, 9), [5 * k**3 + k for k in range(2, 9)]) == (3, True)
    assert fitted_order(range(2, 9), [7 * k + 100 for k in range(2, 9)]) == (1, True)
    assert fitted_order(range(10, 20), [k**2 + k % 2 for k in range(10, 20)]) == (2, False)
    assert fitted_order(range(2, 9), [int(k**2.5) + k % 2 for k in range(2, 9)])[0] is None
    with pytest.raises(ValueError, match="equally spaced"):
        fitted_order([1, 2, 4], [1, 2, 3])
    assert crossing([1, 2, 3], [5, 3, 1], [4, 4, 4]) == 2 and crossing([1, 2], [5, 5], [4, 4]) is None
    assert increments([1, 2, 4], [1, 3, 11]) == (2, 4)


def test_stages_add_up():
    model = lw.load("quadruped").with_constraints(lw.connect("FL_foot"), lw.connect("RR_foot"))
    run = Run("tiny", 0.0)
    for algorithm in ("pv_osim", "efpa"):
        stages = propagation_stages(run, model, algorithm)
        assert all(count > 0 for count in stages.values()), stages
    assert sum(propagation_stages(run, model, "pv_osim").values()) < sum(joint_space_stages(run, model).values()) * 3
    assert propagation_stages(run, model, "efpa")[MATRIX] > propagation_stages(run, model, "pv_osim")[MATRIX]


def test_mechanisms():
    assert common_tip(4, 3).nbodies - 1 == 1 + 4 * 3 and common_tip(4, 3).nc == 18
    assert {c.other for c in common_tip(4, 3).constraints} == {"tip4"}
    assert ladder(3).nv == 3 * 7 + 2 * 3 and ladder(3).nc == 18
    assert welded_chain(9, 3).nc == 18 and example_graph().nv == 11 and five_fingered_hand().nv == 24


@pytest.mark.parametrize("algorithm", SOLVERS.values())
def test_one_iteration_repeated_from_its_multipliers_is_many_iterations(algorithm):
    """So that Figure 10 compiles one iteration and not eleven programs."""
    model = lw.load("chain_of_loops:1,7")
    q = model.integrate(model.drawn, 0.1 * np.ones(model.nv))
    v, tau = np.linspace(-1, 1, model.nv), np.ones(model.nv)
    one = lw.compile(model, algorithm, iterations=1, mu=100.0, warm_start="input", outputs=("a", "lam"))
    lam = np.zeros(model.nc)
    for _ in range(3):
        result = one(q, v, tau, lam)
        lam = np.ascontiguousarray(result.lam)
    three = lw.compile(model, algorithm, iterations=3, mu=100.0, outputs="a")(q, v, tau)
    assert np.allclose(result.a, three, rtol=1e-9, atol=1e-9)
    assert not np.allclose(
        lw.compile(model, algorithm, iterations=1, mu=100.0, outputs="a")(q, v, tau), three, rtol=1e-6
    )


def test_a_contest_without_peers_says_so_and_has_errors_of_converged_solvers():
    model = lw.load("chain:7").with_constraints(lw.weld("tip"))
    run = Run("tiny", 0.02, peers=Peers(cpp=False))
    entries = {"PV": Contestant("pv"), "soft": Contestant("pv_soft", {"mu": 10.0}), "ABA": Contestant("aba", tree=True)}
    found = contest(run, model, entries, {"Pinocchio": PeerEntry("prox_ltl", 1)}, others=False)
    assert found["errors"]["PV"] < 1e-9 < 1e-4 < found["errors"]["soft"] and "ABA" not in found["errors"]
    assert set(found["times"]) == {f"{n}, {how}" for n in entries for how in ("single", "batched")}
    assert found["notes"] == ["Pinocchio C++ was not asked for"]


def test_robots_from_files(tmp_path):
    path = tmp_path / "arm.json"
    lw.save(lw.load("chain:7"), path)
    given = RobotFile.parse(f"iiwa={path},hands=tip")
    robot = Robots((given,)).get("iiwa")
    assert robot.origin == "file arm.json" and robot.frames["hands"] == ("tip",) and not robot.is_stand_in
    with pytest.raises(InputError, match=r"no hands among its frames.*hands=FRAME"):
        Robots((RobotFile.parse(f"iiwa={path}"),)).get("iiwa")
    for wrong, words in (
        ("iiwa", "NAME=FILE"),
        ("iwa=x", "iiwa"),
        ("iiwa=/no/such", "no file"),
        (f"iiwa={path},arms=x", "feet="),
    ):
        with pytest.raises(InputError, match=words):
            RobotFile.parse(wrong)
    other = tmp_path / "other.json"
    lw.save(lw.load("chain:6"), other)
    assert RobotFile.parse(f"iiwa={other}").digest() != RobotFile.parse(f"iiwa={path}").digest() != given.digest()
    assert Robots().get("atlas").is_stand_in and "stand-in" in Robots().get("atlas").origin


class FakeLibrary:
    """Answers as Pinocchio's C++ does: seconds of its own clock, and an error for what it cannot solve."""

    def __init__(self):
        self.asked = []

    def model(self, other):
        return self

    def constrained(self, constraints, *, mu, iterations):
        self.asked.append((len(constraints), iterations))
        return self

    def time(self, algorithm, q, v, tau, *, repeats):
        if algorithm == "caba":
            raise InputError("all constraints 3d or all 6d, not both")
        right = self.asked and self.asked[-1][1] >= 4  # it needs four iterations
        return {"aba": 3e-6, "lcaba": 5e-6}[algorithm], self.answers if right and len(v) == 3 else np.zeros_like(v)


def test_peers_take_turns_with_ours_and_say_what_they_cannot():
    pytest.importorskip("pinocchio")
    model = lw.load("chain:4").with_constraints(lw.connect("tip"))
    run = Run("tiny", 0.02, peers=Peers(cpp=False))
    library = FakeLibrary()
    run.peers.__dict__["_cpp"] = (library, "a fake")
    peers = {"P lcaba": PeerEntry("lcaba", 3), "P caba": PeerEntry("caba"), "P aba": PeerEntry("aba")}
    peers["P lcaba converged"] = PeerEntry("lcaba", None)
    rng = np.random.default_rng(0)  # the states that contests are at
    q = model.random_configuration(rng, BATCH)
    v, tau = rng.normal(size=(2, BATCH, model.nv))
    library.answers = referee(model, consistent_states(model, (q[:3], v[:3], tau[:3])))
    found = contest(run, model, {"PV": Contestant("pv")}, peers, others=False)
    assert found["iterations"] == {"P lcaba": 3, "P lcaba converged": 4}
    assert found["errors"]["P lcaba"] == 1 and found["errors"]["P lcaba converged"] == 0
    assert found["times"]["P lcaba"]["best"] == pytest.approx(5.0) and found["times"]["P aba"]["best"] == pytest.approx(
        3.0
    )
    assert found["notes"] == ["P caba: all constraints 3d or all 6d, not both"] and (1, 3) in library.asked
    looped = lw.load("four_bar")  # closed by a hinge, of which Pinocchio has no like
    found = contest(run, looped, {"LCABA": Contestant("lcaba", {"iterations": 1})}, peers, others=False)
    assert set(found["times"]) == {"LCABA, single", "LCABA, batched"} and "no constraint like" in found["notes"][0]


@pytest.mark.parametrize("held", [True, False])
def test_libraries_are_timed_as_users_call_them_and_solve_the_same_problem(held):
    pytest.importorskip("mujoco")
    pytest.importorskip("pinocchio")
    model = lw.load("quadruped")
    model = model.with_constraints(lw.connect("FL_foot"), lw.connect("RR_foot")) if held else model
    run = Run("tiny", 0.02, peers=Peers(cpp=False))
    found = contest(run, model, {"PV": Contestant("pv")})
    python = "Pinocchio Python " + ("constraintDynamics" if held else "aba")
    assert found["times"]["MuJoCo mj_forward"]["best"] > 0 and found["times"][python]["best"] > 0
    # MuJoCo's constraints are soft; three of Pinocchio's iterations leave little
    assert found["errors"]["MuJoCo mj_forward"] < (1e-2 if held else 1e-9) and found["errors"][python] < 1e-6
    assert found["errors"]["PV"] < 1e-9
