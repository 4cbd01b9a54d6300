"""Our docstrings are written to be read as they are: `code` in single backticks, columns of names and meanings. Here
they become reStructuredText, in which neither columns nor the papers' stars and primes are taken for markup."""

from __future__ import annotations

import re

# "name, other   what it is": a column of names, two spaces or more, text.
COLUMN = re.compile(r"^(?P<name>\S+(?: \S+)*?)\s{2,}(?P<text>\S.*)$")
SPECIAL = re.compile(r"([\\*|_])")


def inline(text: str) -> str:
    """Backticks as code, everything else as it stands."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(f"``{p[1:-1]}``" if p.startswith("`") and len(p) > 2 else SPECIAL.sub(r"\\\1", p) for p in parts)


def converted(lines: list[str]) -> list[str]:
    result: list[str] = []
    k = 0
    while k < len(lines):
        line = lines[k]
        column = COLUMN.match(line)
        if not line.strip():
            result.append("")
            k += 1
        elif line.startswith(("    ", "\t")):
            k = _code(lines, k, result)
        elif column:
            k = _columns(lines, k, result)
        else:
            result.append(inline(line))
            k += 1
    return [*result, ""]


def _code(lines: list[str], k: int, result: list[str]) -> int:
    """An indented block, as it is."""
    result += ["", "::", ""]
    while k < len(lines) and (lines[k].startswith("    ") or not lines[k].strip()):
        result.append(lines[k])
        k += 1
    result.append("")
    return k


def _columns(lines: list[str], k: int, result: list[str]) -> int:
    """Names and meanings as a list of definitions; lines indented to the meanings' column go on with the one before."""
    result.append("")
    while k < len(lines) and (column := COLUMN.match(lines[k])):
        result.append(f"``{column['name']}``")
        text = [column["text"]]
        k += 1
        while k < len(lines) and lines[k].startswith("  ") and lines[k].strip():
            text.append(lines[k].strip())
            k += 1
        result += [f"    {inline(' '.join(text))}", ""]
    return k


def process(app, what, name, obj, options, lines: list[str]) -> None:
    lines[:] = converted(list(lines))


def setup(app) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True}
