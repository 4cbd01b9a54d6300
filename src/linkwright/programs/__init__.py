"""The named programs that `linkwright.compile` knows: what each takes, gives, and which algorithm fills it in.

This is where the users' conventions ([linear; angular], the file's frames, arrays) meet the algorithms' own.
"""

from .actuation import ACTUATION
from .actuators import ACTUATORS
from .choice import FORWARD_DYNAMICS, Choice, Wish, choose
from .closing_pose import CLOSING
from .cluster_coordinates import CLUSTER_COORDINATES
from .cluster_dynamics import CLUSTERS
from .constrained import CONSTRAINED
from .constraint_programs import CONSTRAINT_PROGRAMS
from .delassus import DELASSUS
from .dynamics import DYNAMICS
from .frame_programs import KINEMATICS
from .recipe import Recipe
from .registry import RECIPES, problems, register
from .request import Request
from .whole_body import WHOLE_BODY

for _group in (
    DYNAMICS, CONSTRAINED, CONSTRAINT_PROGRAMS, ACTUATION, ACTUATORS, DELASSUS, CLUSTERS, CLUSTER_COORDINATES,
    KINEMATICS, WHOLE_BODY, CLOSING,
):  # fmt: skip
    register(*_group)

__all__ = ["FORWARD_DYNAMICS", "RECIPES", "Choice", "Recipe", "Request", "Wish", "choose", "problems", "register"]
