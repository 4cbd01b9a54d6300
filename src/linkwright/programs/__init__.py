"""The named programs that `linkwright.compile` knows: what each takes, gives, and which algorithm fills it in.

This is where the users' conventions ([linear; angular], the file's frames, arrays) meet the algorithms' own.
"""

from .actuation import ACTUATION
from .closures import CLOSURES
from .cluster_coordinates import CLUSTER_COORDINATES
from .cluster_dynamics import CLUSTERS
from .constrained import CONSTRAINED
from .contact import CONTACT
from .delassus import DELASSUS
from .dynamics import DYNAMICS
from .frame_programs import KINEMATICS
from .recipe import Recipe
from .step import STEP

_GROUPS = (
    DYNAMICS, CONSTRAINED, CONTACT, CLOSURES, ACTUATION, DELASSUS, CLUSTERS, CLUSTER_COORDINATES, KINEMATICS, STEP,
)  # fmt: skip
RECIPES: dict[str, Recipe] = {recipe.name: recipe for group in _GROUPS for recipe in group}


def kin_that_take_loops(name: str) -> list[str]:
    """Names of programs of the same group that take constraints between bodies."""
    group = next(group for group in _GROUPS if any(recipe.name == name for recipe in group))
    return [recipe.name for recipe in group if recipe.takes_loops]


__all__ = ["RECIPES", "Recipe", "kin_that_take_loops"]
