"""A model is identified as a whole and by sections, so that programs depend on what they read."""

from dataclasses import replace

import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.model.fingerprints import SECTIONS
from linkwright.model.serialization import _ENTRIES, to_dictionary
from linkwright.programs import Request


def changed(model, other) -> set[str]:
    return {section for section in SECTIONS if model.fingerprint_of(section) != other.fingerprint_of(section)}


def test_every_entry_belongs_to_one_section():
    entries = [entry for own in SECTIONS.values() for entry in own]
    assert sorted(entries) == sorted(_ENTRIES), "put the new entry of models into a section (model/fingerprints.py)"
    assert set(to_dictionary(lw.load("four_bar"))) <= set(entries)


def test_each_change_is_in_its_section():
    model = lw.load("four_bar")
    heavy = replace(model.bodies[1], inertia=lw.Inertia(2.0, [0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    assert changed(model, model) == set()
    assert changed(model, replace(model, name="another")) == {"drawing"}
    assert changed(model, replace(model, bodies=(model.bodies[0], heavy, *model.bodies[2:]))) == {"inertias"}
    assert changed(model, model.without_constraints()) == {"constraints"}
    assert changed(model, replace(model, gravity=(0.0, 0.0, -1.62))) == {"structure"}
    assert changed(model, replace(model, shapes=(lw.sphere("crank", 0.1),))) == {"contacts"}
    with pytest.raises(InputError, match="section of a model"):
        model.fingerprint_of("colours")


def key(model, name: str, **kwargs) -> str:
    return Request.of(model, name, None, kwargs.pop("parameters", ()), False, kwargs).key


def test_programs_are_keyed_by_what_they_read():
    tree = lw.load("chain:2")
    held = tree.with_constraints(lw.connect("link_2", name="held"))
    renamed = replace(tree, name="another", shapes=(lw.sphere("link_1", 0.1),))
    assert key(tree, "crba") == key(held, "crba") == key(renamed, "crba")
    assert key(tree, "lcaba") != key(held, "lcaba")
    assert key(tree, "contact_dynamics") != key(renamed, "contact_dynamics")
    assert key(tree, "aba") == key(renamed, "aba")
