"""Animations inline in notebooks."""

import html
import re

import pytest

import linkwright as lw
from linkwright.errors import InputError


@pytest.fixture(scope="module")
def trajectory():
    return lw.simulate(lw.load("four_bar"), dt=1e-3, steps=50)


def test_a_notebook_gets_the_page_in_a_frame(trajectory, chromium, tmp_path):
    shown = lw.show(trajectory, height=300)
    text = shown._repr_html_()
    assert 'height="300"' in text and "allow-same-origin" not in text
    assert html.unescape(re.search(r'srcdoc="([^"]*)"', text)[1]) == shown.page
    path = lw.viewer.write_html(trajectory.model, trajectory.q, trajectory.t, tmp_path / "page.html")
    assert path.read_text(encoding="utf-8") == shown.page
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><body>{text}</body>", encoding="utf-8")
    page = chromium.open(notebook)
    assert page.evaluate("document.querySelector('iframe').clientHeight") == 300


def test_mistakes_are_named(trajectory):
    with pytest.raises(InputError, match="height is 0"):
        lw.show(trajectory, height=0)
    batch = lw.simulate(trajectory.model, [trajectory.q[0]] * 2, dt=1e-3, steps=5)
    with pytest.raises(InputError, match="holds 2 samples"):
        lw.show(batch)
