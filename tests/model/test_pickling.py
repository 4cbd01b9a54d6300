"""Models travel to other processes, and copies of what cannot change are the thing itself."""

import copy
import multiprocessing
import operator
import pickle

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ModelError
from linkwright.model.pickling import VERSION, restored_model
from linkwright.robots import random_tree


def mechanisms():
    """Of every joint and every kind of constraint."""
    tree = random_tree(3, 14, armature=True, damping=True, springs=True, limits=True, frames=3)
    singles = [joint.name for joint in tree.joints if joint.nv == 1][:4]
    one, two, three, four = singles
    held = tree.with_constraints(
        lw.weld("body_3"), lw.connect("body_5", "body_7"), lw.rod("body_9", "body_10", length=0.7),
        lw.couple(one, two, [0.1, -6.0, 0.5]), lw.center_of_mass(), lw.explicit(three, four, lambda y: y[0] * y[0]),
    ).with_drawn(tree.random_configuration(1))  # fmt: skip
    return [tree, held, lw.load("cassie"), lw.load("four_bar"), lw.load("tello"), lw.load("stewart_platform")]


@pytest.mark.parametrize("model", mechanisms(), ids=lambda model: f"{model.name}, {len(model.constraints)}")
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_gives_the_model_back(model, protocol):
    again = pickle.loads(pickle.dumps(model, protocol))
    assert again is not model and again == model and again.fingerprint == model.fingerprint
    assert again.warnings == model.warnings and hash(again) == hash(model)
    assert np.array_equal(again.drawn, model.drawn) and not again.gravity.flags.writeable


def test_copies_are_the_model_itself():
    model = lw.load("four_bar")
    assert copy.copy(model) is model and copy.deepcopy(model) is model
    assert copy.deepcopy({"robot": [model]})["robot"][0] is model


def test_parts_can_be_pickled_and_copied_too():
    model = mechanisms()[1]
    for part in (*model.bodies[1:], *model.constraints, *model.frames.values()):
        for other in (pickle.loads(pickle.dumps(part)), copy.deepcopy(part)):
            assert type(other) is type(part) and other.name == part.name


def test_a_pool_maps_over_models():
    models = [lw.load("four_bar"), lw.load("quadruped")]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(operator.attrgetter("fingerprint"), models) == [model.fingerprint for model in models]


def test_a_pickle_of_another_version_is_refused_by_name():
    _, (_, *content) = lw.load("four_bar").__reduce__()
    for version in (VERSION + 1, None):
        with pytest.raises(ModelError, match=rf"version {version}.*reads version {VERSION}"):
            restored_model(version, *content, "something newer")


def test_damaged_pickles_are_refused_by_name():
    model = lw.load("four_bar")
    _, (version, text, warnings, fingerprint) = model.__reduce__()
    assert restored_model(version, text, warnings, fingerprint) == model
    for damaged in (
        (text[:-20], warnings, fingerprint), (text.replace("9.81", "9.82"), warnings, fingerprint),
        (text.replace('"bodies"', '"boxes"'), warnings, fingerprint), (text, warnings, "0" * 64),
        (text, warnings), (None, warnings, fingerprint), (text, None, fingerprint), ("[]", warnings, fingerprint),
    ):  # fmt: skip
        with pytest.raises(ModelError, match="damaged"):
            restored_model(version, *damaged)
    data = pickle.dumps(model)
    with pytest.raises(ModelError, match="damaged"):
        pickle.loads(data.replace(b"-9.81", b"-9.82"))
