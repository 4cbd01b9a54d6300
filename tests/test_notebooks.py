"""Notebooks run from beginning to end, say what is true, and are pages of the site."""

import importlib.util
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
NAMES = ["closed_loops", "contact", "first_steps", "learning"]
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="an installed copy has no notebooks")


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def printed(name):
    cells = module(FOLDER / "execute.py").executed(FOLDER / f"{name}.ipynb")["cells"]
    return "".join("".join(output["text"]) for cell in cells for output in cell.get("outputs", ()))


def test_they_are_notebooks_and_pages():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == NAMES
    index = (FOLDER.parent / "index.md").read_text()
    as_markdown = module(FOLDER.parent / "_extensions" / "notebooks.py").as_markdown
    for name in NAMES:
        text = (FOLDER / f"{name}.ipynb").read_text()
        notebook = json.loads(text)
        assert notebook["nbformat"] == 4 and len(text) < 20_000 and f"notebooks/{name}" in index
        assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
        assert as_markdown(text).startswith("# ") and "```python\nimport numpy as np" in as_markdown(text)


def test_first_steps():
    text = printed("first_steps")
    assert "(10000, 18) True" in text and "5000 steps of 1 ms (Runge-Kutta 4, aba): ok" in text and "Shown" in text


def test_closed_loops():
    text = printed("closed_loops")
    assert "status 0" in text and ": ok" in text
    ours, by_virtual_power = text.split("the crank's acceleration: ")[1].split("\n")[0].split(" by virtual power: ")
    assert float(ours) == pytest.approx(float(by_virtual_power), rel=1e-5)


def test_contact():
    text = printed("contact")
    assert "force: 9.81 N" in text
    firm, ice = (float(line.split("by ")[1].split(" m")[0]) for line in text.splitlines() if "is moved" in line)
    assert abs(firm) < 0.02 and abs(ice) > 0.05


def test_learning():
    pytest.importorskip("gymnasium", reason="the extra 'gym' is not installed")
    assert float(printed("learning").split("policy earns ")[1].split(";")[0]) > 140
