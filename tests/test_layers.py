"""Each layer imports only those above it (docs/architecture.md)."""

import ast
from pathlib import Path

import pytest

import linkwright

ROOT = Path(linkwright.__file__).parent
LAYERS = (
    "printable", "errors", "call_errors", "atomic_file", "scalar", "fixed_order", "trace", "spatial", "model",
    "algorithms", "codegen", "programs", "physics", "compilation", "factored_delassus", "derivatives", "export",
    "learning", "torch", "jax", "robots", "io", "referee", "assembly", "analysis", "sim", "rollouts", "envs",
    "viewer", "live", "bench", "reproduce", "cli",
)  # fmt: skip
# Layers that must not know certain others although these come first.
FORBIDDEN = {
    "spatial": {"trace"},
    "algorithms": {"trace"},
    "codegen": {"spatial", "model", "algorithms"},
}


def imported_layers(path: Path) -> set[str]:
    package = path.relative_to(ROOT.parent).with_suffix("").parts
    if path.name == "__init__.py":
        package = package[:-1]
        depth_of_self = 0
    else:
        depth_of_self = 1
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = package[: len(package) - depth_of_self - (node.level - 1)]
                target = (*base, *(node.module or "").split(".")) if node.module else base
                targets = [target] if len(target) > 1 and target[1] else [(*base, alias.name) for alias in node.names]
            else:
                targets = [tuple((node.module or "").split("."))]
        elif isinstance(node, ast.Import):
            targets = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "lw":
            targets = [("linkwright", node.attr)]
        else:
            continue
        found |= {layer_of(target[1]) for target in targets if target[0] == "linkwright" and len(target) > 1}
    return found


def layer_of(name: str) -> str:
    """Of a module of the package, or of a public name: `from .. import compile` is an import of compilation."""
    return linkwright._HOME.get(name, name).split(".")[0]


def test_public_names_are_seen_as_their_layers():
    assert layer_of("compile") == "compilation" and layer_of("load") == "io" and layer_of("model") == "model"


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_upward(path):
    layer = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if layer in ("__init__", "__main__"):
        return
    assert layer in LAYERS, f"{layer} is not a known layer: add it to LAYERS and to docs/architecture.md"
    allowed = set(LAYERS[: LAYERS.index(layer) + 1]) - FORBIDDEN.get(layer, set())
    outside = imported_layers(path) & set(LAYERS) - allowed
    assert not outside, f"{path.relative_to(ROOT)} imports {sorted(outside)}, which come after {layer}"


def given_by(package: str) -> set[str]:
    """What a package's `__init__` gives to others."""
    tree = ast.parse((ROOT / package / "__init__.py").read_text())
    lists = [x.value for x in tree.body if isinstance(x, ast.Assign) and ast.unparse(x.targets[0]) == "__all__"]
    return {x.value for found in lists for x in ast.walk(found) if isinstance(x, ast.Constant)}


def test_what_a_package_gives_is_taken_from_it():
    """Not from the module inside in which it happens to stand. (The root's own list names modules: it is lazy.)"""
    gifts = {path.parent.name: given_by(path.parent.name) for path in ROOT.glob("*/__init__.py")}
    past = []
    for path in sorted(ROOT.rglob("*.py")):
        inside = path.relative_to(ROOT).parts
        for node in ast.walk(ast.parse(path.read_text())):
            if len(inside) == 1 or not isinstance(node, ast.ImportFrom) or node.level != len(inside):
                continue
            package, _, module = (node.module or "").partition(".")
            names = {alias.name for alias in node.names}
            if module and package != inside[0] and package in gifts and names <= gifts[package]:
                past.append(f"{path.relative_to(ROOT)}: from {node.module} import {', '.join(sorted(names))}")
    assert not past
