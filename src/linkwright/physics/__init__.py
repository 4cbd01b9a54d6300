"""Time steps: what the state is, how it is advanced, what is said of it.

A step is one compiled program: control, friction, limits, dynamics, stabilization, integration. This room registers it,
and the dynamics of what touches, beside the programs of `linkwright.programs`: with it `RECIPES` are complete.
"""

from ..programs import RECIPES, register
from .contact import CONTACT
from .step import STEP

register(*CONTACT, *STEP)

__all__ = ["CONTACT", "RECIPES", "STEP"]
