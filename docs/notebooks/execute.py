"""Runs notebooks without Jupyter: their cells in order, in one namespace, and what they print.

python docs/notebooks/execute.py [name ...]      writes what cells print into docs/notebooks/NAME.ipynb
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def executed(path):
    """The notebook, as a dictionary, with the outputs of today; of what has a page of its own only its name."""
    notebook = json.loads(Path(path).read_text(encoding="utf-8"))
    namespace = {"__name__": "__main__"}
    count = 0
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        count += 1
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            shown = _run("".join(cell["source"]), namespace, f"{Path(path).name}, cell {number}")
        cell["execution_count"] = count
        text = printed.getvalue() + ("" if shown is None else f"{shown!r}\n")
        lines = text.splitlines(keepends=True)
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": lines}] if lines else []
    return notebook


def _run(source, namespace, where):
    """The value of the last line, if it is an expression; a notebook would show it, so its page is made."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), namespace)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), where, "eval"), namespace)
    if hasattr(value, "_repr_html_"):
        value._repr_html_()
    return value


if __name__ == "__main__":
    for path in [FOLDER / f"{name}.ipynb" for name in sys.argv[1:]] or sorted(FOLDER.glob("*.ipynb")):
        found = json.dumps(executed(path), indent=1, ensure_ascii=False)
        path.write_text(found + "\n", encoding="utf-8")
        print(path.name)
