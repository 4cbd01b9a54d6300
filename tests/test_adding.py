"""The pages about adding things, run as they are."""

import re
from pathlib import Path

import pytest

from linkwright.programs.registry import RECIPES

FOLDER = Path(__file__).parent.parent / "docs" / "adding"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_page(path, monkeypatch):
    known = dict(RECIPES)
    try:
        scope: dict = {"__name__": "adding"}
        for block in re.findall(r"^```python\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL):
            exec(compile(block, str(path), "exec"), scope)
    finally:
        RECIPES.clear()
        RECIPES.update(known)
