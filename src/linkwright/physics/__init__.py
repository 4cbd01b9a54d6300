"""Time steps: what the state is, how integrators advance it, what is told of it.

A step is one compiled program: control, friction, limits, dynamics, stabilization, integration. This room registers it,
and the dynamics of what touches, beside the programs of `linkwright.programs`: with it `RECIPES` are complete.
"""

from ..programs import RECIPES, register
from . import meanings as _meanings  # before programs are registered: what they take must be known
from . import runge_kutta_4, semi_implicit  # noqa: F401  which register integrators
from .contact import CONTACT
from .dormand_prince_steps import DormandPrince
from .integrator import INTEGRATORS, Integrator, Stepped, integrator_of, register_integrator
from .leapfrog import Leapfrog
from .options import StepOptions
from .state import State, StepInputs, StepReport
from .step import STEP

_meanings.declare()
register(*CONTACT, *STEP)

__all__ = [
    "CONTACT", "INTEGRATORS", "RECIPES", "STEP", "DormandPrince", "Integrator", "Leapfrog", "State",
    "StepInputs", "StepOptions", "StepReport",
    "Stepped", "integrator_of", "register_integrator",
]  # fmt: skip
