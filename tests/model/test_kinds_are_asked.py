"""Nobody looks at which kind a joint or a constraint is, but asks it: a kind that others add is treated as it says.

Kinds are named by their own files, by the formats that must (io) and by the referee, which shares no code. What builds
robots names the kinds it builds; nobody else even names one.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import linkwright
from linkwright.model.constraints import CONSTRAINT_KINDS
from linkwright.model.joints import FIXED, JOINT_KINDS

ROOT = Path(linkwright.__file__).parent
OWN = ("model/joints/", "model/joint.py", "model/constraints/", "io/", "referee/")
BUILDING = ("robots/", "bench/", "reproduce/", "__init__.py")
FILES = [path for path in sorted(ROOT.rglob("*.py")) if not path.relative_to(ROOT).as_posix().startswith(OWN)]
KINDS = {*JOINT_KINDS, *CONSTRAINT_KINDS, FIXED}
CLASSES = {cls.__name__ for cls in (*JOINT_KINDS.values(), *CONSTRAINT_KINDS.values())}


def switches(source: str, *, builds: bool = False) -> Iterator[str]:
    """Where a text asks for a kind by its name or class; unless it builds robots, also where it names one."""
    for node in ast.walk(ast.parse(source)):
        where = f"line {getattr(node, 'lineno', 0)}: "
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(x, ast.Attribute) and x.attr == "kind" for x in sides) and _constants(node) & KINDS:
                yield where + ast.unparse(node)
        elif isinstance(node, ast.Match) and ast.unparse(node.subject).endswith(".kind"):
            yield where + f"match {ast.unparse(node.subject)}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
            if {x.id for x in ast.walk(node.args[1]) if isinstance(x, ast.Name)} & CLASSES:
                yield where + ast.unparse(node)
        elif not builds and isinstance(node, ast.Constant) and node.value in JOINT_KINDS:
            yield where + f"names {node.value!r}"


def _constants(node: ast.AST) -> set:
    return {x.value for x in ast.walk(node) if isinstance(x, ast.Constant)}


def test_no_kind_is_switched_on():
    found = []
    for path in FILES:
        name = path.relative_to(ROOT).as_posix()
        found += [f"{name} {where}" for where in switches(path.read_text(), builds=name.startswith(BUILDING))]
    assert not found, "ask `joint.moves` (model/joints/joint_motion.py) or the constraint instead of its kind"


@pytest.mark.parametrize("source", [
    "if joint.kind == 'free_flyer': pass",
    "if body.joint.kind in ('spherical', 'planar'): pass",
    "if c.kind != 'rod': pass",
    "isinstance(c, RelativeConstraint)",
    "issubclass(joint, Revolute | Prismatic)",
    "match joint.kind:\n    case 'revolute': pass",
])  # fmt: skip
def test_a_switch_is_found(source):
    assert list(switches(source, builds=True))


def test_what_builds_robots_may_name_kinds():
    assert not list(switches("TURNING = ('revolute', 'continuous')", builds=True))
    assert list(switches("TURNING = ('revolute', 'continuous')"))
