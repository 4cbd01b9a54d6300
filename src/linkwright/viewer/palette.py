"""Colours, for light and dark backgrounds alike unless they say which."""

from __future__ import annotations

import numpy as np

LIMBS = ("#64748b", "#3b82c4", "#e08a3c", "#2a9d8f", "#c75a6a", "#8b6fd0", "#7a9a3c", "#c2649a", "#3aa0b8", "#b08a4a")
CLOSURE = "#e5254b"
TRACE, TRACE_OPACITY = "#e5254b", 0.55
FORCE = "#16a34a"
THEMES = {
    "light": {
        "sky": "#ffffff", "horizon": "#eceff4", "ink": "#1e293b", "faint": "#64748b", "grid": "#c3cad6",
        "shadow": "#334155", "joint": "#334155", "post": "#a3adbb",
    },
    "dark": {
        "sky": "#12151b", "horizon": "#1c212b", "ink": "#e6ebf2", "faint": "#94a3b8", "grid": "#39424f",
        "shadow": "#000000", "joint": "#cbd5e1", "post": "#5b6675",
    },
}  # fmt: skip

_COLOURS = {"joint": THEMES["light"]["joint"], "closure": CLOSURE, "post": THEMES["light"]["post"]}


def limb_name(group: int) -> str:
    """Name of a group's colour."""
    if group < 0:
        return {-1: "joint", -2: "closure", -3: "post"}[group]
    return f"limb{0 if group == 0 else 1 + (group - 1) % (len(LIMBS) - 1)}"


def colour_of(name: str) -> str:
    """Of a group's name."""
    return LIMBS[int(name[4:])] if name.startswith("limb") else _COLOURS[name]


def shade(colour: str, amount: float) -> str:
    """Lighter by `amount` in 0..1, or darker if it is negative."""
    target = 255 if amount > 0 else 0
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(x + (target - x) * abs(amount)):02x}" for x in parts)


def across_rod(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, tuple[tuple[float, float], ...]]:
    """How a rod from a to b on the screen is lit from above and the left: the direction across it (2,) in which it is
    lighter, and pairs (part of the way from the lit side, how much lighter)."""
    along = (b - a)[:2]
    normal = np.array([-along[1], along[0]]) / max(1e-9, float(np.hypot(*along)))
    towards = float(normal @ [-0.5, -0.85])
    if towards < 0:
        normal, towards = -normal, -towards
    return normal, ((0, 0.1), (0.3, 0.25 + 0.3 * towards), (0.62, 0.0), (1, -0.38))
