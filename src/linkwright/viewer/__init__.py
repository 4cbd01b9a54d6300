"""Pictures of mechanisms: an animation for the browser, a still picture, and the kinematic graph."""

from .animation import write_html
from .arrows import CONTACT_RECORD, contact_arrows
from .graph_picture import graph_svg
from .still import write_svg

__all__ = ["CONTACT_RECORD", "contact_arrows", "graph_svg", "write_html", "write_svg"]
