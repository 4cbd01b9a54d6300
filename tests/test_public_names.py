"""What `linkwright` offers, and that importing it brings along no more than is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import linkwright


def imported_for_type_checkers() -> dict[str, str]:
    found = {}
    for node in ast.parse(Path(linkwright.__file__).read_text()).body:
        if isinstance(node, ast.If):
            for line in node.body:
                for alias in line.names:
                    found[alias.asname or alias.name] = line.module or ""
    return found


def test_the_two_lists_agree():
    typed = imported_for_type_checkers()
    assert typed.pop("viewer") == ""
    assert typed == linkwright._HOME


def test_everything_public_is_there():
    assert set(linkwright.__all__) == {*linkwright._HOME, "list_algorithms", "viewer"}
    for name in linkwright.__all__:
        assert getattr(linkwright, name) is not None
    assert set(linkwright.__all__) <= set(dir(linkwright))


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        _ = linkwright.lod


def loaded_after(statement: str) -> set[str]:
    code = f"import linkwright as lw\n{statement}\nimport sys; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_brings_nothing_heavy():
    loaded = loaded_after("")
    assert "numpy" not in loaded and not any(name.startswith("linkwright.") for name in loaded)


def test_a_model_needs_no_compiler():
    loaded = loaded_after("lw.load('chain:3')")
    assert not {"llvmlite", "mujoco", "linkwright.codegen", "linkwright.viewer", "linkwright.sim"} & loaded
