"""What a model lacks of what was asked for is a list that stays, is warned of once, and is in every verdict."""

import copy
import json
import pickle
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwright as lw
from linkwright.cli import app
from linkwright.errors import InputError, ModelError
from linkwright.model.serialization import from_dictionary, to_dictionary

STRINGS = 14


def cradle() -> str:
    """Balls that hang on pairs of strings, which are limits of spatial tendons: Newton's cradle."""
    balls = "".join(
        f'<body name="ball_{k}" pos="{0.1 * k} 0 1"><freejoint/><geom size=".05" contype="0" conaffinity="0"/>'
        f'<site name="s{k}"/></body>'
        for k in range(STRINGS // 2)
    )
    hooks = "".join(f'<site name="h{k}" pos="{0.1 * (k // 2)} {0.3 * (-1) ** k} 2"/>' for k in range(STRINGS))
    strings = "".join(
        f'<spatial name="string_{k}" limited="true" range="0 1.05">'
        f'<site site="h{k}"/><site site="s{k // 2}"/></spatial>'
        for k in range(STRINGS)
    )
    return f'<mujoco model="cradle"><worldbody>{hooks}{balls}</worldbody><tendon>{strings}</tendon></mujoco>'


@pytest.fixture(scope="module")
def lacking() -> lw.Model:
    with pytest.warns(lw.LinkwrightWarning):
        return lw.load(cradle())


def test_every_string_is_in_the_list(lacking):
    assert len(lacking.not_computed) == STRINGS and lacking.ignored == ()
    assert all(f"'string_{k}'" in entry.what for k, entry in enumerate(lacking.not_computed))
    assert all(entry.why and entry.word == "limit" for entry in lacking.not_computed)


def test_loading_warns_once_where_it_was_asked_for():
    with pytest.warns(lw.LinkwrightWarning, match="string_0") as told:
        lw.load(cradle())
    assert len(told) == 1 and told[0].filename == __file__ and "ignore=('limit',)" in str(told[0].message)


@pytest.mark.parametrize("read", [lw.io.read_mjcf, lw.load])
def test_a_word_silences_the_warning_and_keeps_the_list(read):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = read(cradle(), ignore="limit")
    assert len(model.not_computed) == len(model.ignored) == STRINGS
    assert model.ignored[0] == "limit: limits of spatial tendon 'string_0'"


def test_a_file_of_ours_warns_as_the_first_did(lacking, tmp_path):
    path = lw.save(lacking, tmp_path / "cradle.json")
    with pytest.warns(lw.LinkwrightWarning, match="string_0"):
        again = lw.load(path)
    assert again.not_computed == lacking.not_computed and again == lacking
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(lw.load(path, ignore=("limit",)).ignored) == STRINGS


def test_copies_pickles_and_editing_keep_the_list(lacking):
    joint = lacking.joints[0].name
    for other in (
        pickle.loads(pickle.dumps(lacking)), copy.deepcopy(lacking), lw.ModelBuilder.from_model(lacking).build(),
        lacking.with_constraints(lw.weld("ball_0")), lacking.with_shapes(lw.sphere("ball_1", 0.1)).on_ground(),
        lacking.with_drawn(None), lw.lock_joints(lacking, [joint]),
    ):  # fmt: skip
        assert other.not_computed == lacking.not_computed
    carrier = lw.attach(lw.load("chain:1"), lacking, prefix="toy_")
    assert [entry.what for entry in carrier.not_computed] == [f"cradle: {x.what}" for x in lacking.not_computed]


def test_what_is_only_about_locked_joints_goes_with_them():
    text = (
        '<mujoco><worldbody><body name="b"><joint name="ball" type="ball" range="0 60"/><geom size=".1"/>'
        "</body></worldbody></mujoco>"
    )
    model = lw.load(text, ignore="limit")
    assert len(model.not_computed) == 1 and not lw.lock_joints(model, ["ball"]).not_computed


def test_programs_do_not_depend_on_it(lacking):
    bare = lw.load(cradle(), ignore="limit")
    for sections in ("structure", "inertias", "constraints", "contacts", "actuators", "simulation"):
        assert bare.fingerprint_of(sections) == lacking.fingerprint_of(sections)
    assert bare.fingerprint != lacking.fingerprint


@pytest.mark.parametrize("words", [(), ("limit",)])
def test_the_verdict_is_no_bare_ok(words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = str(lw.simulate(lw.load(cradle(), ignore=words), steps=5))
    assert "ok; but not computed: limits of spatial tendon 'string_0'" in said and "8 more" in said


def test_a_whole_model_has_a_bare_ok():
    said = str(lw.simulate(lw.load("chain:2"), steps=5))
    assert "ok" in said and "not computed" not in said


def test_what_users_note_is_in_verdict_and_pages(tmp_path):
    model = lw.load("chain:2").with_not_computed(lw.NotComputed("wind <b>", "nobody knows it", "close the door"))
    assert "ok; but not computed: wind" in str(lw.simulate(model, steps=5))
    path = tmp_path / "page.html"
    lw.viewer.write_html(model, np.zeros((2, 2)), [0.0, 1.0], path)
    assert "not computed: wind \\u003cb\\u003e" in path.read_text()


def test_commands_show_it(tmp_path):
    path = tmp_path / "cradle.xml"
    path.write_text(cradle())
    for command in (["inspect", "--no-times"], ["simulate", "--seconds", "0.01"]):
        shown = CliRunner().invoke(app, [*command, str(path)])
        assert shown.exit_code == 0 and "string_5" in shown.output and "not computed" in shown.output
    shown = CliRunner().invoke(app, ["simulate", "--seconds", "0.01", "--json", str(path)])
    found = json.loads(shown.stdout)
    assert len(found["not_computed"]) == STRINGS and found["complaints"] == []


def test_older_files_have_lines():
    content = {**to_dictionary(lw.load("chain:1")), "ignored": ["fluid: option 'density' is 1.2", "odd"]}
    model = from_dictionary(content)
    assert model.ignored[0] == "fluid: option 'density' is 1.2" and len(model.not_computed) == 2


@pytest.mark.parametrize(
    "entries",
    [["wind"], [{}], [{"what": ""}], [{"what": 3}], [{"what": "a", "who": "b"}], [{"what": "a", "about": "b"}],
     [{"what": "a", "about": [1]}], [{"what": "a", "ignored": 1}], 3],
)  # fmt: skip
def test_damaged_entries_are_refused(entries):
    with pytest.raises((ModelError, InputError)):
        from_dictionary({**to_dictionary(lw.load("chain:1")), "not_computed": entries})


def test_only_entries_are_taken():
    with pytest.raises(InputError, match="NotComputed"):
        lw.load("chain:1").with_not_computed("wind")


def test_what_is_told_can_be_printed():
    entry = lw.NotComputed("limits of 'a\x1b[31m\u202eb'", "because\n  of \x9b", "try\u200b")
    assert str(entry).isprintable()
    with pytest.warns(lw.LinkwrightWarning) as told:
        lw.load(cradle().replace('model="cradle"', 'model="cr\u202eadle"').replace("string_0", "st\u200bring_0"))
    assert all(line.isprintable() for line in str(told[0].message).split("\n"))
