"""One memory of what is found once per model."""

import re
from pathlib import Path

import linkwright as lw
from linkwright.model import found_once as memory
from linkwright.model.found_once import forget_models, found_once


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
    assert found <= {"sim/simulation.py", "reproduce/run.py"}, "compiled steps and measured systems are kept apart"
