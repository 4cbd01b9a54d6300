"""One name, one thing: no file name is used twice in a room, and no class name at all (docs/glossary.md)."""

import ast
from collections import defaultdict
from pathlib import Path

import linkwright

ROOT = Path(linkwright.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))


def used_twice(found: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: places for name, places in found.items() if len(places) > 1}


def test_no_file_name_is_used_twice_in_a_room():
    """A room is a folder of the package with all that is in it: who reads `state.py` there need not ask which."""
    places = defaultdict(list)
    for path in FILES:
        inside = path.relative_to(ROOT)
        if path.name not in ("__init__.py", "__main__.py"):
            places[f"{inside.parts[0]}: {path.name}"].append(str(inside))
    assert not used_twice(places)


def test_no_class_name_is_used_twice():
    places = defaultdict(list)
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not used_twice(places)


def test_no_file_name_says_nothing():
    empty = {"utils", "util", "helpers", "helper", "common", "misc", "core"}
    assert not [path for path in FILES if set(path.relative_to(ROOT).with_suffix("").parts) & empty]
