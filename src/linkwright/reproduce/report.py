"""The report: one HTML file that holds everything it shows, for any browser, without a network."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

from ..atomic_file import write_atomically
from ..viewer.svg import xml_text as escape
from .files import NO_MATPLOTLIB, shown
from .item import Check, Figure, Table
from .item_figures import drawn
from .reproducing import Outcome

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
h1 { font-size: 1.6rem } h2 { font-size: 1.3rem; margin-top: 3rem; border-bottom: 1px solid #ccc }
h3 { font-size: 1.05rem; margin: 2rem 0 .3rem }
table { border-collapse: collapse; margin: .6rem 0; font-size: 13px } caption { text-align: left; font-weight: 600 }
td, th { padding: .15rem .6rem; border-bottom: 1px solid #e3e3e3; text-align: right; vertical-align: top }
td:first-child, th:first-child, .text td, .text th { text-align: left }
.wide td:first-child { white-space: nowrap }
img { max-width: 100% } .wide { overflow-x: auto }
blockquote { margin: .4rem 0; padding-left: .8rem; border-left: 3px solid #bbb; color: #444 }
.about { color: #666; font-size: 13px } .verdict { padding: .1rem .5rem; border-radius: .6rem; font-size: 13px }
.yes { background: #d7f0d9 } .no { background: #f7d6d3 } .part { background: #fbeccb } .none { background: #e8e8e8 }
"""
_HOW_TO_READ = (
    "Each table or figure has what the paper says of it, one line per statement with the numbers that decide whether "
    "it holds here, and then our numbers beside the paper's. <i>Operations</i> are additions, multiplications, "
    "divisions, square roots, sines and cosines of one evaluation, counted in the program that is compiled: the same "
    "on every machine. <i>Times</i> are of single calls from Python, and per sample in a batch. <i>Errors</i> are "
    "relative to a dense solution. A dash: not measured, in a quick run mostly because the program is too large to be "
    "compiled in its time. <i>Reproduced</i>: every statement that could be judged holds; where one does not, "
    "the reason stands beside it."
)
_COLOURS = {"reproduced": "yes", "partly reproduced": "part", "not reproduced": "no", "failed": "no"}


def write_report(outcomes: Sequence[Outcome], output: Path, titles: dict[str, str]) -> Path:
    path = output / "report.html"
    write_atomically(path, report(outcomes, titles).encode())
    return path


def report(outcomes: Sequence[Outcome], titles: dict[str, str]) -> str:
    """`titles`: paper's key -> title, in the order of the report."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>Reproduced papers</title><style>{_STYLE}</style><h1>Tables and figures of the papers, reproduced</h1>",
        _circumstances(outcomes),
        f"<p>{_HOW_TO_READ}</p>",
        _summary(outcomes),
    ]
    for key, title in titles.items():
        own = [o for o in outcomes if o.item.paper == key]
        if own:
            parts.append(f"<h2>{escape(key)}: {escape(title)}</h2>")
            parts += [_section(o) for o in own]
    return "\n".join(parts) + "\n</html>\n"


def _circumstances(outcomes: Sequence[Outcome]) -> str:
    """Machine, versions and command of the last record; sections say where theirs differ in time and size."""
    records = [o.record for o in outcomes if o.record is not None]
    if not records:
        return "<p>Nothing is measured yet.</p>"
    last = max(records, key=lambda r: r["finished"])
    machine = ", ".join(f"{k} {v}" for k, v in last["machine"].items())
    versions = ", ".join(f"{k} {v}" for k, v in last["versions"].items() if v)
    peers = "; ".join(next((r["peers"] for r in reversed(records) if r["peers"]), []))
    lines = [f"Machine: {machine}.", f"Versions: {versions}.", f"Peers: {peers}." if peers else "", last["command"]]
    return "<p class=about>" + "<br>".join(escape(line) for line in lines if line) + "</p>"


def _summary(outcomes: Sequence[Outcome]) -> str:
    rows = "".join(
        f"<tr><td><a href='#{_anchor(o)}'>{escape(o.item.label)}</a><td>{escape(o.item.title)}<td>{_badge(o)}"
        f"<td>{_tally(o.checks)}</tr>"
        for o in outcomes
    )
    return f"<table class=text><tr><th>item<th>what<th>verdict<th>statements</tr>{rows}</table>"


def _tally(checks: Sequence[Check]) -> str:
    """How many statements hold, and what is said of those that do not."""
    judged = [c for c in checks if c.holds is not None]
    words = dict.fromkeys(c.reason.partition(":")[0].lower() for c in judged if not c.holds and c.reason)
    held = f"{sum(bool(c.holds) for c in judged)} of {len(judged)} hold" if judged else "none judged"
    return escape("; ".join([held, *words]))


def _section(outcome: Outcome) -> str:
    item, record = outcome.item, outcome.record
    parts = [
        f"<h3 id='{_anchor(outcome)}'>{escape(item.name)}: {escape(item.title)} {_badge(outcome)}</h3>",
        f"<blockquote>{escape(item.claim)} <span class=about>({escape(item.source)})</span></blockquote>",
    ]
    if outcome.failure:
        parts.append(f"<p class=no>{escape(outcome.failure)}</p>")
    if outcome.checks:
        parts.append(_checks(outcome.checks))
    parts += [_table(t) if isinstance(t, Table) else _figure(t) for t in shown(outcome)]
    if record is not None:
        robots = "; ".join(record["robots"].values())
        parts.append(
            f"<p class=about>{escape(robots + '. ' if robots else '')}Size: {record['size']}; "
            f"{record['took']} s; {record['finished']}; record {record['key']}.</p>"
        )
    return "\n".join(parts)


def _checks(checks: Sequence[Check]) -> str:
    words = {True: ("yes", "holds"), False: ("no", "does not hold"), None: ("none", "not judged")}
    rows = ""
    for c in checks:
        colour, word = words[c.holds]
        reason = f"<br>{escape(c.reason)}" if c.reason else ""
        rows += (
            f"<tr><td>{escape(c.statement)}<td><span class='verdict {colour}'>{word}</span>"
            f"<td>{escape(c.finding)}{reason}</tr>"
        )
    return f"<table class=text><tr><th>the paper says<th>here<th>numbers</tr>{rows}</table>"


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(str(c))}" for c in table.columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell(x))}" for x in row) + "</tr>" for row in table.rows)
    return f"<div class=wide><table><caption>{escape(table.title)}</caption><tr>{head}</tr>{body}</table></div>"


def _figure(figure: Figure) -> str:
    pictures = drawn(figure)
    if pictures is None:
        return f"<p class=about>{escape(figure.title)}: {escape(NO_MATPLOTLIB)}</p>"
    data = base64.b64encode(pictures["svg"]).decode()
    return f"<p><img alt='{escape(figure.title)}' src='data:image/svg+xml;base64,{data}'></p>"


def cell(value: object) -> str:
    """Four digits are enough for a reader; CSV and JSON have them all."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1e-2 or abs(value) >= 1e5 else f"{value:.4g}"
    return str(value)


def _anchor(outcome: Outcome) -> str:
    return escape(f"{outcome.item.paper}-{outcome.item.name}")


def _badge(outcome: Outcome) -> str:
    return f"<span class='verdict {_COLOURS.get(outcome.verdict, 'none')}'>{outcome.verdict}</span>"
