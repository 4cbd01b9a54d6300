"""Short runs: finite, believed, and where Runge-Kutta gets; results that are kept; rounded files."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwright as lw
from linkwright.bench.believe import Belief, broken_invariants, measure, run
from linkwright.bench.half_seconds import Compared
from linkwright.bench.rounded_files import rounded, rounded_copy
from linkwright.cli import app
from linkwright.errors import InputError


def test_a_short_run():
    results = list(measure(("four_bar", "pantograph_leg"), seconds=2.0))
    assert len(results) == 4
    for r in results:
        assert r.finite and r.alone and r.right and not r.complaints and r.drift < 1e-5 and r.energy < 0.01, r
        assert r.window < 1e-3 and r.worst_window < 0.01, r


def test_what_explains_a_difference_to_runge_kutta():
    """Nothing, a disturbance that grows, Runge-Kutta's own."""
    compared = Compared(np.array([1e-2, 1e-2, 1e-2]), np.array([1e-6, 1e-6, 5e-3]), np.array([2.0, 100.0, 1.0]))
    assert compared.missed.tolist() == [True, False, False]
    assert compared.summary == (1e-2, 1e-2, 5e-3, 100.0, 1e-2, 1)


def test_energy_out_of_nothing_is_seen_without_the_books():
    robot = lw.load("four_bar")
    trajectory = lw.simulate(robot, steps=2000, integrator="euler", dt=4e-3, record=20, start="project")
    batch = lw.simulate(robot, np.tile(trajectory.q[0], (2, 1)), None, steps=200, record=20)
    assert not broken_invariants(batch, None)
    hot = np.array(batch.v)
    hot[:, -1] *= 1.5
    from dataclasses import replace

    assert broken_invariants(replace(batch, v=hot), None) == ["energy"]
    torn = np.array(batch.q)
    torn[:, 3, 0] += 0.01
    assert "loops" in broken_invariants(replace(batch, q=torn), None)


def test_contacts_take_energy_and_are_not_compared_with_runge_kutta():
    """Which knows none; the energy they take is no reason for doubt where the books have it."""
    builder = lw.ModelBuilder("pendulum over the floor")
    rod = lw.Inertia.box(1.0, (0.6, 0.1, 0.1), (0.3, 0, 0))
    builder.add_body("arm", lw.revolute("hip", "y"), placement=(0, 0, 0.5), inertia=rod)
    robot = builder.build().with_shapes(lw.sphere("arm", 0.05, at=(0.6, 0, 0), name="tip")).on_ground(0.5)
    result = run(robot.name, robot, np.array([0.5]), "none", 1.0, True)
    assert result.finite and result.right and not result.complaints, result
    assert np.isnan(result.worst_window)


def test_results_are_kept_and_not_computed_again(tmp_path):
    file = tmp_path / "beliefs.jsonl"
    arguments = ["bench", "believe", "--robots", "four_bar", "--seconds", "0.5", "--controls", "none", "--no-windows"]
    first = CliRunner().invoke(app, [*arguments, "--into", str(file)])
    assert first.exit_code == 0, first.output
    text = file.read_text()
    assert len(text.splitlines()) == 1 and "four_bar" in text
    second = CliRunner().invoke(app, [*arguments, "--into", str(file)])
    assert second.exit_code == 0 and file.read_text() == text and "1 of them from" in second.output
    file.write_text("nonsense")
    third = CliRunner().invoke(app, [*arguments, "--into", str(file)])
    assert isinstance(third.exception, InputError) and "not a file of this command" in str(third.exception)


def test_a_belief_survives_its_file():
    belief = Belief("robot", "pd", 1.0, 1.0, True, True, 1e-9, 1e-9, 1e-9, 1e-9, ("a",), ("b",))
    assert Belief.from_dictionary(belief.as_dictionary()) == belief


def test_numbers_are_rounded_and_names_are_not(tmp_path):
    assert rounded('<a v="1.0" x="0.123456789 -12345.678 1e-7 3" n="part_1.2345678b"/>', 3) == (
        '<a v="1" x="0.123 -1.23e+04 1e-07 3" n="part_1.2345678b"/>'
    )
    source = tmp_path / "robot" / "robot.xml"
    source.parent.mkdir()
    source.write_text('<mujoco model="m"><worldbody><body pos="0.123456789 0 0"><joint/><inertial pos="0 0 0" '
                      'mass="1.23456789" diaginertia="1 1 1"/></body></worldbody></mujoco>')  # fmt: skip
    target = tmp_path / "copy"
    target.mkdir()
    model = lw.load(rounded_copy(source, 5, target))
    assert model.mass == 1.2346 and model.bodies[1].placement.translation[0] == 0.12346
    with pytest.raises(InputError, match="not a file"):
        rounded_copy(Path("four_bar"), 5, target)


def test_what_is_refused_is_not_judged(tmp_path):
    """A loop whose bars are too short to meet."""
    file = tmp_path / "apart.json"
    arm = lw.ModelBuilder("apart")
    for name, at in (("left", 0.0), ("right", 3.0)):
        arm.add_body(name, lw.revolute(f"{name}_joint", "z"), placement=(at, 0, 0), inertia=lw.Inertia.sphere(1.0, 0.1))
        arm.add_frame(f"{name}_end", name, (1, 0, 0))
    lw.save(arm.build().with_constraints(lw.connect("left_end", "right_end", name="pin")), file)
    (belief,) = measure([str(file)], seconds=0.01, controls=("none",), windows=False)
    assert belief.refused and belief.right and not belief.finite and "pin" in belief.complaints[0]
