"""Pictures of mechanisms: an animation for the browser, a film, a still picture, and the kinematic graph."""

from .animation import write_html
from .arrows import CONTACT_RECORD, contact_arrows
from .graph_picture import graph_svg
from .showing import Shown, show
from .still import write_svg
from .video import write_video

__all__ = ["CONTACT_RECORD", "Shown", "contact_arrows", "graph_svg", "show", "write_html", "write_svg", "write_video"]
