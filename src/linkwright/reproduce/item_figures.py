"""Figures as SVG and PNG. Needs matplotlib; without it the numbers are kept all the same."""

from __future__ import annotations

import io
import math
import textwrap
from typing import Any

from .item import Diagram, Figure, Panel, Series, Stack

_STYLES = {"tree": ("0.3", "-"), "coupling": ("C3", "--"), "arrow": ("0.4", "-"), "gone": ("0.85", "-")}
_PANEL = (5.0, 3.6)  # inches
_FEW_POINTS = 40  # more are drawn as a line without markers
_COLOURS = 10  # of matplotlib's cycle
_MOST_INSIDE = 4  # entries of a legend that stands within its axes
_TITLE = 60  # characters of a line
_FEW_TICKS, _SMALL = 14, 100  # numbers of links, not of operations
_PLAIN = (1e-3, 1e6)  # numbers between are written out
_FEW_DECADES = 100.0


def drawn(figure: Figure) -> dict[str, bytes] | None:
    """{"svg": ..., "png": ...}, or None where matplotlib is missing."""
    try:
        import matplotlib
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        return None
    columns = min(figure.columns, len(figure.panels))
    rows = math.ceil(len(figure.panels) / columns)
    # text as text, and names of clip paths that do not change from run to run
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "linkwright", "font.size": 9}):
        canvas = Canvas(figsize=(_PANEL[0] * columns, _PANEL[1] * rows), layout="constrained")
        grid = canvas.subplots(rows, columns, squeeze=False).ravel()
        for axes, panel in zip(grid, figure.panels, strict=False):
            _draw(axes, panel)
        for axes in grid[len(figure.panels) :]:
            axes.set_axis_off()
        canvas.suptitle(textwrap.fill(figure.title, _TITLE * columns), fontsize=10)  # a picture may stand alone
        files = {}
        for kind in ("svg", "png"):
            buffer = io.BytesIO()
            canvas.savefig(buffer, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else None)
            files[kind] = buffer.getvalue()
    return files


def _draw(axes: Any, panel: Panel) -> None:
    if isinstance(panel.content, Diagram):
        _diagram(axes, panel.content)
    elif isinstance(panel.content, Stack):
        _stack(axes, panel.content)
    else:
        _series(axes, panel.content)
    axes.set_title(textwrap.fill(panel.title, _TITLE), fontsize=10)
    if isinstance(panel.content, Diagram):
        return
    _scales(axes, panel)
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
    axes.grid(alpha=0.3)
    labels = axes.get_legend_handles_labels()[1]
    if labels == [panel.title]:
        return
    bars = isinstance(panel.content, list) and any(s.kind == "bar" for s in panel.content)
    if len(labels) > _MOST_INSIDE - bars:  # it would cover what it explains
        axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    elif labels:
        axes.legend(fontsize=7)


def _scales(axes: Any, panel: Panel) -> None:
    """Numbers of links are whole, and where there are few decades powers of ten tell nothing."""
    from matplotlib.ticker import MaxNLocator, NullLocator

    x = sorted({value for s in panel.content for value in s.x}) if isinstance(panel.content, list) else []
    whole = bool(x) and all(isinstance(value, int) for value in x)
    if panel.log_x:
        axes.set_xscale("log")
        if whole and len(x) <= _FEW_TICKS and x[-1] <= _SMALL:
            axes.set_xticks(x, [str(value) for value in x])
            axes.xaxis.set_minor_locator(NullLocator())
        else:
            _written_out(axes.xaxis, *axes.get_xlim())
    elif whole:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if panel.log_y:
        axes.set_yscale("log")
        _written_out(axes.yaxis, *axes.get_ylim())


def _written_out(axis: Any, low: float, high: float) -> None:
    """Ticks of a logarithmic axis."""
    from matplotlib.ticker import LogLocator

    if _PLAIN[0] < low and high < _PLAIN[1]:
        axis.set_major_formatter("{x:g}")
        if high < _FEW_DECADES * low:
            axis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
            axis.set_minor_formatter("{x:g}")


def _series(axes: Any, series: list[Series] | Any) -> None:
    bars = [s for s in series if s.kind == "bar"]
    width = 0.8 / max(1, len(bars))
    for k, s in enumerate(bars):
        places = [p + (k - (len(bars) - 1) / 2) * width for p in range(len(s.x))]
        axes.bar(places, [y or 0.0 for y in s.y], width, label=s.label)
    if bars:
        axes.set_xticks(range(len(bars[0].x)), bars[0].x, rotation=30, ha="right", fontsize=7)
    subjects = list(dict.fromkeys(_subject(s) for s in series))
    for n, s in enumerate(series):
        if s.kind == "bar":
            continue
        k = subjects.index(_subject(s))
        again = any(_subject(other) == _subject(s) for other in series[:n])
        kept = [place for place, y in enumerate(s.y) if y is not None]
        x, y = [s.x[place] for place in kept], [height for height in s.y if height is not None]
        style = {"line": "o-", "paper": "k*:", "peer": "s--"}[s.kind]
        if k >= _COLOURS:  # they begin again: other marks tell such lines apart
            style = style.replace("o", "^")
        if again:
            style = style.replace("-", ":")
        size = 4 if len(x) <= _FEW_POINTS else 0
        colour = {} if s.kind == "paper" else {"color": f"C{k % _COLOURS}"}
        (line,) = axes.plot(x, y, style, markersize=size, linewidth=1.2, label=s.label, **colour)
        if s.low is not None and s.high is not None:
            ends = [s.low[place] for place in kept], [s.high[place] for place in kept]
            axes.vlines(x, *ends, color=line.get_color(), alpha=0.4)
        if s.spread is not None:
            upper = [a + s.spread[place] for a, place in zip(y, kept, strict=True)]
            lower = [max(a - s.spread[place], a * 1e-2) for a, place in zip(y, kept, strict=True)]
            axes.fill_between(x, lower, upper, color=line.get_color(), alpha=0.12)


def _subject(s: Series) -> str:
    """Lines of one solver, "LCABA, one call" and "LCABA, batched", have one colour; the second is dotted."""
    return s.label.partition(", ")[0]


def _stack(axes: Any, stack: Stack) -> None:
    bottom = [0.0] * len(stack.bars)
    for part, heights in stack.parts.items():
        axes.bar(range(len(stack.bars)), heights, 0.6, bottom=bottom, label=part)
        bottom = [b + h for b, h in zip(bottom, heights, strict=True)]
    for place, total in enumerate(bottom):
        axes.text(place, total, f"{total:.0f}", ha="center", va="bottom", fontsize=7)
    axes.set_ylim(0, 1.15 * max(bottom, default=1.0))  # room for the numbers above
    axes.set_xticks(range(len(stack.bars)), stack.bars, rotation=30, ha="right", fontsize=7)


def _diagram(axes: Any, diagram: Diagram) -> None:
    for a, b, style in diagram.edges:
        (x0, y0), (x1, y1) = diagram.nodes[a], diagram.nodes[b]
        colour, dashes = _STYLES[style]
        bend = ", rad=0.25" if style == "coupling" else ", rad=0"
        axes.annotate(
            "",
            (x1, y1),
            (x0, y0),
            arrowprops={
                "arrowstyle": "->" if style == "arrow" else "-",
                "color": colour,
                "linestyle": dashes,
                "connectionstyle": "arc3" + bend,
                "shrinkA": 10,
                "shrinkB": 10,
            },
        )
    box = {
        "boxstyle": "round" if diagram.boxes else "circle",
        "facecolor": "white",
        "pad": 0.4 if diagram.boxes else 0.3,
    }
    for name, (x, y) in diagram.nodes.items():
        gone = name in diagram.faded
        colour = "0.8" if gone else ("C3" if name.startswith("λ") else "0.2")
        axes.text(x, y, name, ha="center", va="center", fontsize=8, color=colour, bbox={**box, "edgecolor": colour})
    xs, ys = zip(*diagram.nodes.values(), strict=True)
    margin = 1.4 if diagram.boxes else 0.8
    axes.set(xlim=(min(xs) - margin, max(xs) + margin), ylim=(min(ys) - 0.8, max(ys) + 0.8))
    axes.set_axis_off()
