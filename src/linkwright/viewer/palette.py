"""Colours, for light and dark backgrounds alike unless they say which."""

from __future__ import annotations

LIMBS = ("#64748b", "#3b82c4", "#e08a3c", "#2a9d8f", "#c75a6a", "#8b6fd0", "#7a9a3c", "#c2649a", "#3aa0b8", "#b08a4a")
CLOSURE = "#e5254b"
TRACE = "#e5254b"
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


def shade(colour: str, amount: float) -> str:
    """Lighter by `amount` in 0..1, or darker if it is negative."""
    target = 255 if amount > 0 else 0
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(x + (target - x) * abs(amount)):02x}" for x in parts)
