"""Each layer imports only those above it (docs/architecture.md)."""

import ast
from pathlib import Path

import pytest

import linkwright

ROOT = Path(linkwright.__file__).parent
LAYERS = (
    "errors", "scalar", "fixed_order", "spatial", "model", "algorithms", "trace", "codegen", "programs", "compilation",
    "factored_delassus", "derivatives", "robots", "io", "referee", "assembly", "analysis", "sim", "viewer", "bench",
    "reproduce", "cli",
)  # fmt: skip
# Layers that must not know certain others although these come first.
FORBIDDEN = {"trace": {"spatial", "model", "algorithms"}, "codegen": {"spatial", "model", "algorithms"}}


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
        else:
            continue
        found |= {target[1] for target in targets if target[0] == "linkwright" and len(target) > 1}
    return found


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_upward(path):
    layer = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if layer in ("__init__", "__main__"):
        return
    assert layer in LAYERS, f"{layer} is not a known layer: add it to LAYERS and to docs/architecture.md"
    allowed = set(LAYERS[: LAYERS.index(layer) + 1]) - FORBIDDEN.get(layer, set())
    outside = imported_layers(path) & set(LAYERS) - allowed
    assert not outside, f"{path.relative_to(ROOT)} imports {sorted(outside)}, which come after {layer}"
