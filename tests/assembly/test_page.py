"""The page's code runs."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "assembly.md"


def test_the_code_of_the_page_runs(capsys):
    if not PAGE.exists():
        pytest.skip("an installed copy has no documents")
    scope: dict = {}
    for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), scope)
    assert "four_bar: closed" in capsys.readouterr().out
    assert scope["w"] == pytest.approx([1.0])  # from the rocker to the crank and back
