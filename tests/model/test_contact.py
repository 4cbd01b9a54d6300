"""Shapes and pairs as part of a model: made, checked, combined, kept through files and editing."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, ModelError, UnsupportedError
from linkwright.model.contact import Softness, Surface
from linkwright.model.contact.surface import interaction_of


def two_links(name="arm") -> lw.Model:
    builder = lw.ModelBuilder(name)
    inertia = lw.Inertia(1.0, np.array([0.1, 0, 0]), np.eye(3) * 0.02)
    builder.add_body("base", lw.free_flyer("root"), inertia=inertia)
    builder.add_body("tip", lw.revolute("hinge", axis="y"), parent="base", placement=(0.3, 0, 0), inertia=inertia)
    return builder.build()


def touching() -> lw.Model:
    shapes = [
        lw.sphere("tip", 0.05, at=(0.1, 0, 0), friction=0.7, condim=4, solref=(-500, -20), margin=0.01, name="ball"),
        lw.box("base", (0.2, 0.1, 0.1), solimp=(0.8, 0.9, 0.01, 0.4, 3), priority=1),
        lw.convex("base", [(0, 0, 0.1), (0.1, 0, 0)], name="hull"),
    ]
    return two_links().with_shapes(*shapes).on_ground(0.8)


def test_points_are_listed_in_order_with_names():
    names = [point.name for point in touching().contacts]
    assert names == [
        "ball/ground", *(f"base/box/ground/{k}" for k in range(4)), "hull/ground/0", "hull/ground/1",
    ]  # fmt: skip


def test_files_and_pickles_keep_everything(tmp_path):
    model = touching()
    lw.save(model, tmp_path / "arm.json")
    for copy in (lw.load(tmp_path / "arm.json"), pickle.loads(pickle.dumps(model))):
        assert copy == model and copy.contacts == model.contacts and copy.pairs == model.pairs
        for one, two in zip(copy.shapes, model.shapes, strict=True):
            assert one.surface == two.surface and one.size == two.size and one.points == two.points
            assert one.placement.is_close(two.placement, 0.0)


def test_surfaces_are_part_of_the_fingerprint_but_not_of_other_programs():
    model = touching()
    other = replace(model, shapes=(replace(model.shapes[0], size=(0.06,)), *model.shapes[1:]))
    assert other != model
    unaware = {"contacts": False, "actuators": True}
    assert other.fingerprint_for(**unaware) == model.fingerprint_for(**unaware)
    assert two_links().fingerprint == two_links().with_contacts().fingerprint


def test_locking_keeps_shapes_and_drops_pairs_that_cannot_move():
    model = touching().with_contacts(lw.contact("ball", "base/box"))
    locked = lw.lock_joints(model, {"hinge": 0.5})
    assert [shape.name for shape in locked.shapes] == [shape.name for shape in model.shapes]
    assert "ball/ground" in {pair.name for pair in locked.pairs}
    assert "base/box/ball" in {p.name for p in model.pairs} and "base/box/ball" not in {p.name for p in locked.pairs}
    assert locked.frame(locked.shapes[0].on).body == 1


def test_attached_robots_stand_on_the_same_floor():
    both = lw.attach(touching(), two_links("other").with_shapes(lw.sphere("tip", 0.1)), prefix="b_")
    assert {"ball/ground", "b_tip/sphere/ground"} <= {pair.name for pair in both.pairs}
    on_base = lw.attach(two_links(), touching(), at="tip", prefix="b_")  # its floor would move
    assert not on_base.pairs and "b_ground" not in {shape.name for shape in on_base.shapes}


def test_bodies_stand_for_their_shapes():
    model = two_links().with_shapes(lw.sphere("base", 0.1), lw.sphere("tip", 0.1), lw.sphere("tip", 0.2, name="big"))
    assert [p.name for p in model.with_contacts(lw.contact("base", "tip")).contacts] == [
        "base/sphere/tip/sphere", "base/sphere/big",
    ]  # fmt: skip
    assert len(model.with_contacts(lw.contact("base", "tip"), lw.contact("tip", "base", condim=6)).pairs) == 2


def test_friction_of_the_ground_is_what_was_said():
    model = touching()
    shapes = {shape.name: shape for shape in model.shapes}
    law = model.pairs[0].interaction(shapes["ball"], shapes["ground"])
    assert law.friction[:2] == (0.8, 0.8) and law.condim == 4 and law.margin == 0.01


def test_surfaces_combine_as_in_mujoco():
    """By priority; else the larger friction and condim, softness by weight, margins added."""
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(0)
    for _ in range(60):
        surfaces, texts = [], []
        for _ in range(2):
            solref = (0.02, 0.9) if rng.random() < 0.6 else (-300.0 * rng.random(), -20.0 * rng.random())
            one = Surface(
                tuple(rng.uniform(0.1, 1, 3)), int(rng.choice([1, 3, 4, 6])),
                Softness(solref, (*np.sort(rng.uniform(0.2, 0.9, 2)), 0.01, rng.uniform(0.2, 0.8), 2.0)),
                rng.uniform(0, 0.2), int(rng.integers(0, 2)), float(rng.choice([0.0, 0.5, 1.7])),
            )  # fmt: skip
            words = {
                "friction": one.friction, "condim": [one.condim], "solref": one.softness.solref,
                "solimp": one.softness.solimp, "margin": [one.margin], "priority": [one.priority],
                "solmix": [one.solmix],
            }  # fmt: skip
            surfaces.append(one)
            texts.append(" ".join(f'{key}="{" ".join(f"{x:.17g}" for x in own)}"' for key, own in words.items()))
        text = (
            f'<mujoco><worldbody><geom type="plane" size="1 1 1" {texts[0]}/><body pos="0 0 .1"><freejoint/>'
            f'<geom type="sphere" size=".1" {texts[1]}/></body></worldbody></mujoco>'
        )
        source = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(source)
        mujoco.mj_forward(source, data)
        theirs, ours = data.contact[0], interaction_of(*surfaces)
        assert ours.condim == theirs.dim and ours.margin == pytest.approx(theirs.includemargin)
        assert ours.friction == pytest.approx(theirs.friction)
        assert ours.softness.solref == pytest.approx(theirs.solref)
        assert ours.softness.solimp == pytest.approx(theirs.solimp)


@pytest.mark.parametrize("make", [
    lambda: lw.sphere("tip", 0.0), lambda: lw.sphere("tip", float("inf")), lambda: lw.capsule("tip", 0.1, -1.0),
    lambda: lw.box("tip", (1, 1)), lambda: lw.box("tip", (1, float("nan"), 1)), lambda: lw.convex("tip", []),
    lambda: lw.sphere("tip", 1.0, friction=-0.1), lambda: lw.sphere("tip", 1.0, condim=2),
    lambda: lw.sphere("tip", 1.0, condim=True), lambda: lw.sphere("tip", 1.0, solimp=(0.9, 1.2, 0.001, 0.5, 2)),
    lambda: lw.sphere("tip", 1.0, solimp=(0.9, 0.95, 0.001, 0.5, 0.5)),
    lambda: lw.sphere("tip", 1.0, solref=(0.02, -1)),
    lambda: lw.sphere("tip", 1.0, margin=-0.1), lambda: lw.sphere("tip", 1.0, contype=0.5), lambda: lw.sphere("", 1.0),
    lambda: lw.contact("a", "a"), lambda: lw.contact("a", "b", condim=5), lambda: lw.contact("a", "b", friction=-1),
    lambda: lw.contact("a", 3),
])  # fmt: skip
def test_shapes_and_pairs_that_make_no_sense(make):
    with pytest.raises(ModelError):
        make()


@pytest.mark.parametrize(("make", "error", "word"), [
    (lambda m: m.with_shapes(lw.sphere("nobody", 0.1)), InputError, "nobody"),
    (lambda m: m.with_shapes(lw.sphere("tip", 0.1, name="ball")), InputError, "ball"),
    (lambda m: m.with_shapes("ball"), InputError, "ball"),
    (lambda m: m.with_shapes(lw.plane("tip")), ModelError, "tip"),
    (lambda m: m.with_shapes(lw.sphere("tip", 0.1, colour="red")), InputError, "colour"),
    (lambda m: m.with_contacts(lw.contact("ball", "nothing")), InputError, "nothing"),
    (lambda m: m.with_contacts("ball"), InputError, "ball"),
    (lambda m: m.with_contacts(lw.contact("hull", "base/box")), UnsupportedError, "hull"),
    (lambda m: m.with_contacts(lw.contact("hull", "base/box")), UnsupportedError, "planes"),
    (lambda m: m.on_ground(), InputError, "ground"),
    (lambda m: two_links().on_ground(), InputError, "with_shapes"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(make, error, word):
    with pytest.raises(error, match=word):
        make(touching())
