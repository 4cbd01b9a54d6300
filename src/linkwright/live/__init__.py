"""A page in the browser in which a mechanism can be dragged, simulated and pushed; needs the extra `view` (viser)."""

from .live_page import LivePage, view

__all__ = ["LivePage", "view"]
