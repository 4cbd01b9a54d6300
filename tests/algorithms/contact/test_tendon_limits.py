"""Limits and dry friction of fixed tendons: the law, what keeps them, and where they are refused.

Against MuJoCo they stand among the random models of test_contact_against_mujoco.py.
"""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, ModelError
from linkwright.model.passive import Tendon, read_passive

RATIOS = (("link_1_joint", 1.0), ("link_2_joint", -0.5), ("link_3_joint", 2.0))
LIMITED = Tendon("string", RATIOS, lower=-0.2, upper=0.3)


def chain(*tendons: Tendon) -> lw.Model:
    return replace(lw.load("chain:3"), passive=tendons)


def solved(model, q, **options):
    outputs = ("a", "limit_torque", "friction_torque", "status")
    dynamics = lw.reference(model, "contact_dynamics", outputs=outputs, **options)
    return dynamics(q, np.zeros(model.nv), np.zeros(model.nv), 0.002)


def test_a_limit_pushes_along_its_ratios_and_only_where_it_is_passed():
    model, ratios = chain(LIMITED), np.array([1.0, -0.5, 2.0])
    inside, beyond = [0.1, 0.0, 0.0], [0.5, 0.0, 0.0]
    assert not solved(model, inside).limit_torque.any()
    pushed = solved(model, beyond)
    force = pushed.limit_torque[0]
    assert force < 0 and pushed.status == 0
    np.testing.assert_allclose(pushed.limit_torque, force * ratios, atol=1e-12)
    free = lw.reference(model, "aba")(beyond, np.zeros(3), np.zeros(3))
    assert ratios @ pushed.a < ratios @ free
    np.testing.assert_allclose(solved(model, beyond, limits=False).a, free, atol=1e-9)
    below = solved(model, [-0.5, 0.0, 0.0])
    assert below.limit_torque[0] > 0


def test_dry_friction_holds_up_to_its_force():
    held = chain(replace(LIMITED, lower=-np.inf, upper=np.inf, friction=1e3))
    slips = chain(replace(LIMITED, lower=-np.inf, upper=np.inf, friction=0.01))
    ratios, q = np.array([1.0, -0.5, 2.0]), [0.4, 0.2, 0.1]
    free = lw.reference(held, "aba")(q, np.zeros(3), np.zeros(3))
    assert abs(ratios @ solved(held, q).a) < 0.2 * abs(ratios @ free)
    torque = solved(slips, q).friction_torque
    np.testing.assert_allclose(np.abs(torque), 0.01 * np.abs(ratios), rtol=1e-9)


def test_a_simulation_stays_within_the_limit():
    """Starting inside, the length goes no further than the law gives way."""
    model = chain(LIMITED)
    run = lw.simulate(model, [0.05, 0.0, 0.0], dt=1e-3, steps=1500)
    lengths = run.q @ np.array([1.0, -0.5, 2.0])
    assert "): ok" in str(run) and lengths.max() < 0.4 and lengths.min() > -0.3
    free = lw.simulate(model, [0.05, 0.0, 0.0], dt=1e-3, steps=1500, limits=False)
    assert np.abs(free.q @ np.array([1.0, -0.5, 2.0])).max() > 0.5


def test_survive_files_and_editing(tmp_path):
    model = chain(replace(LIMITED, friction=0.3))
    assert lw.load(lw.save(model, tmp_path / "m.json")).passive == model.passive
    assert pickle.loads(pickle.dumps(model)).passive == model.passive
    locked = lw.lock_joints(model, {"link_1_joint": 0.1})
    (left,) = locked.passive
    assert (left.lower, left.upper) == pytest.approx((-0.3, 0.2))
    assert dict(left.ratios) == {"link_2_joint": -0.5, "link_3_joint": 2}
    old = {"kind": "tendon_spring", "name": "s", "ratios": [["link_1_joint", 1.0]], "stiffness": 3.0}
    assert read_passive(old) == Tendon("s", (("link_1_joint", 1.0),), 3.0)


def test_written_as_mjcf():
    mujoco = pytest.importorskip("mujoco")
    source = mujoco.MjModel.from_xml_string(lw.io.to_mjcf(chain(replace(LIMITED, friction=0.3))))
    assert source.tendon_limited[0] and source.tendon_frictionloss[0] == 0.3
    np.testing.assert_allclose(source.tendon_range[0], [-0.2, 0.3])


def test_what_cannot_be_is_refused():
    with pytest.raises(ModelError, match=r"string.*limits.*lower one first"):
        replace(LIMITED, lower=1.0)
    with pytest.raises(ModelError, match="friction -1"):
        replace(LIMITED, friction=-1.0)
    with pytest.raises(ModelError, match="upper of tendon"):
        replace(LIMITED, upper=float("nan"))
    with pytest.raises(InputError, match=r"'string' has limits or dry friction.*contact='soft'"):
        lw.simulate(chain(LIMITED), steps=10, contact=None)
    lw.simulate(chain(LIMITED), steps=10, contact=None, limits=False)
