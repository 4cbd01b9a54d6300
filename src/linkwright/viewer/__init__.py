"""Pictures of mechanisms: an animation for the browser, a still picture, and the kinematic graph."""

from .animation import write_html
from .graph_picture import graph_svg
from .still import write_svg

__all__ = ["graph_svg", "write_html", "write_svg"]
