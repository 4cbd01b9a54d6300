"""One memory of what is found once per model."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.model import found_once as memory
from linkwright.model.found_once import FOUND_ONCE, forget_models, found_for, found_once


def test_equal_models_share_and_others_do_not():
    asked = []

    @found_once
    def size(model, factor, *, more=0):
        asked.append(model.name)
        return model.nv * factor + more

    assert size(lw.load("chain:2"), 3) == size(lw.load("chain:2"), 3) == 6
    assert size(lw.load("chain:2"), 3, more=1) == 7 and size(lw.load("chain:3"), 3) == 9
    assert len(asked) == 3
    forget_models()
    size(lw.load("chain:2"), 3)
    assert len(asked) == 4


def test_the_models_asked_about_last_are_kept(monkeypatch):
    monkeypatch.setattr(memory, "MOST_MODELS", 2)
    asked = []
    name = found_once(lambda model: asked.append(model.nv))
    one, two, three = (lw.load(f"chain:{n}") for n in (1, 2, 3))
    for model in (one, two, one, three, one, two):
        name(model)
    assert asked == [1, 2, 3, 2]


def test_there_is_no_other_memory_of_models():
    """Caches of their own would be forgotten, and bounded, each in its own way."""
    root = Path(lw.__file__).parent
    other = re.compile(r"@(functools\.)?(lru_)?cache.*\ndef \w+\(\s*model\b|WeakKeyDictionary\[Model")
    found = {str(path.relative_to(root)) for path in root.rglob("*.py") if other.search(path.read_text())}
    assert found <= {"sim/prepared.py", "reproduce/run.py"}, "compiled steps and measured systems are kept apart"


def ours() -> dict:
    for package in ("algorithms", "programs", "assembly"):
        home = importlib.import_module(f"linkwright.{package}")
        for module in pkgutil.walk_packages(home.__path__, f"linkwright.{package}."):
            importlib.import_module(module.name)
    return {name: function for name, function in FOUND_ONCE.items() if not name.startswith(("test_", "tests."))}


def test_all_that_is_found_once_is_listed():
    page = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text()
    listed = set(re.findall(r"^\| `([\w.]+)` \|", page.partition("## Planning")[2].partition("\n## ")[0], re.MULTILINE))
    assert listed == set(ours())


@pytest.mark.parametrize("program", ["lcaba", "cluster_aba", "step", "delassus_operator", None])
def test_a_warm_start_finds_nothing(program, tmp_path, monkeypatch):
    """The image holds what was found as constants: reading it is all there is to do."""
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path))
    make = {"delassus_operator": lw.delassus_operator}.get(program, lambda model: lw.compile(model, program))
    forget_models()
    make(lw.load("four_bar"))
    assert found_for(lw.load("four_bar"))
    forget_models()
    make(lw.load("four_bar"))
    allowed = {"programs.choice._remembered"} if program is None else set()  # a note of a few bytes, read once
    assert set(found_for(lw.load("four_bar"))) <= allowed
