"""What the inputs, outputs and options of programs mean: one place for the command line and the site.

Shapes are of one sample; a batch puts B in front. `nq`, `nv`, `nbodies` (the ground counted) and `nc` (constraint rows)
are those of the model; `constraints` and `contacts` are how many there are, `frames` and `motors` how many were asked
for; `ny` and `nyd` count independent coordinates and velocities, `loops` the rows of embedded constraints.
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import unknown_name
from .recipe import Recipe


class Meaning(NamedTuple):
    """The shape of one sample, "(nv,)"; of options, the values they take. What it is, with frame and unit."""

    shape: str
    text: str


def _table(rows: str) -> dict[str, Meaning]:
    """One row a line: name | shape | what it is."""
    cells = (line.split("|", 2) for line in rows.strip().splitlines())
    return {name.strip(): Meaning(shape.strip(), text.strip()) for name, shape, text in cells}


# A name alone holds everywhere but where a row "program.name" says otherwise.
INPUTS = _table("""
q      | (nq,) | configuration: metres, radians, unit quaternions x y z w
q0     | (nq,) | configuration to start from
q1     | (nq,) | configuration to reach
v      | (nv,) | joint velocities, per second; of free joints [linear; angular] in the child's frame
a      | (nv,) | joint accelerations, per second squared
tau    | (nv,) | joint forces: N, N m
f_ext  | (nbodies, 6) | external wrenches on the bodies, [linear; angular] in body frames, at their origins: N, N m
dt     | () | time step in seconds
b      | (nv,) | right-hand side of M x = b
x      | (nv,) | vector that M is multiplied with
delassus_operator.x | (nc,) | vector, or with `count=k` vectors, (k, nc), in the space of constraint rows
lam    | (nc,) | multipliers of the constraint rows, raw: N, N m
desired | (nc,) | desired accelerations of the constraint rows
active | (constraints,) | 1 for constraints that hold, 0 for those that do not
mu     | (nc,) | penalty of each constraint row, larger is stiffer
rows   | (nc,) | vector in the space of constraint rows
warm   | (nv,) | accelerations to start from
act    | (na,) | states of the actuators that have one
ctrl   | (nu,) | controls of the actuators
y      | (ny,) | independent coordinates, in the order of q
yd     | (nyd,) | independent velocities, in the order of v
ydd    | (nyd,) | independent accelerations
tau_y  | (nyd,) | forces on the independent coordinates
guess  | (nq,) | a configuration on the branch that is wanted
""")

OUTPUTS = _table("""
a        | (nv,) | joint accelerations, per second squared
tau      | (nv,) | joint forces: N, N m
closed_loop_inverse_dynamics.tau | (motors,) | motor torques of least norm, in the order of `motors`
q        | (nq,) | configuration
v        | (nv,) | joint velocities
x        | (nv,) | the solution of M x = b
b        | (nv,) | the product M x
M        | (nv, nv) | joint-space inertia matrix, rotors on its diagonal
L        | (nv, nv) | lower triangle with L' L = M
position | (3,) | centre of mass in the world, metres
velocity | (3,) | its velocity in the world's axes
momentum | (6,) | [linear; angular] about the centre of mass, in the world's axes
matrix   | (6, nv) | centroidal momentum matrix: momentum = matrix v
energy   | () | joules
forces   | (constraints, 6) | wrench of each constraint on its first frame, [linear; angular] in that frame: N, N m
lam      | (nc,) | multipliers of the constraint rows, raw
residual | () | largest acceleration error of a constraint row
project_configuration.residual | () | what the pose leaves open of any constraint row: metres, radians
iterations | () | passes until converged, or as many as were asked for
status   | () | 0 ok, 1 not converged, 2 singular, 3 not finite, 4 infeasible, 5 on another branch
contact_force | (contacts, 6) | wrench on the first body, [linear; angular] in the contact's frame: N, N m
contact_point | (contacts, 3) | where it acts, in the world
contact_frame | (contacts, 3, 3) | rows: the normal from the second body to the first, and two tangents, in the world
gap      | (contacts,) | distance in metres, negative where shapes overlap, infinite where there is no such point
active   | (contacts,) | 1 where forces may act
limit_torque | (nv,) | forces of joint limits
friction_torque | (nv,) | forces of dry friction in joints
error    | (nc,) | by how much each constraint row is violated: metres, radians
J        | (6, nv) | Jacobian of the frame: [linear; angular] velocity = J v
constraint_jacobian.J | (nc, nv) | Jacobian of the constraint rows
cluster_frame_jacobian.J | (6, nyd) | Jacobian of the frame: [linear; angular] velocity = J yd
whole_body_terms.J | (nc + 6 * frames, nv) | rows of the constraints, then [linear; angular] of frames in world axes
dJv      | (nc + 6 * frames,) | dJ/dt v: accelerations of these rows at a = 0
h        | (nv,) | torques that give zero acceleration
S        | (nv, nu) | tau = S u: of the actuators, or without any a column for every velocity but those of a free base
Y        | (nv, 10 * (nbodies - 1)) | ten columns a body: m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz in its own frame
rest     | (nv,) | torques of rotors, springs and dampers, which are not in Y
dJ       | (6, nv) | time derivative of the frame's Jacobian
bias     | (nc,) | acceleration of the constraint rows at a = 0
delassus_operator.bias | (nc,) | acceleration of the constraint rows without constraint forces
delassus | (nc, nc) | J M^-1 J' of the constraint rows
osim     | (nc, nc) | operational-space inertia, the (damped) inverse of the Delassus matrix; with `apply`, (nc,)
product  | (nc,) | J M^-1 J' x
solve    | (nc,) | (J M^-1 J' + 1/mu)^-1 x
ydd      | (nyd,) | independent accelerations
tau_y    | (nyd,) | forces on the independent coordinates
H        | (nyd, nyd) | inertia matrix of the independent coordinates
y        | (ny,) | independent coordinates
yd       | (nyd,) | independent velocities
G        | (nv, nyd) | v = G yd
g        | (nv,) | a = G ydd + g
K        | (loops, nv) | rows of the embedded constraints: K v = 0
k        | (loops,) | K a = k
rotations | (frames, 3, 3) | from each frame's axes to the world's
positions | (frames, 3) | origins in the world, metres
velocities | (frames, 6) | [linear; angular], in the axes that `seen_from` names
accelerations | (frames, 6) | [linear; angular], spatial unless `classical`
act      | (na,) | states of the actuators after the step
act_rate | (na,) | rates of the actuators' states
actuator_force | (nu,) | force of each actuator, along its own transmission
clamped  | (nu,) | 1 where a control or a force was cut at its limit
""")

OPTIONS = _table("""
desired    | None, "input" | "input": desired accelerations of the rows with each call
active     | None, "input" | "input": 1 or 0 for each constraint with each call, so contacts switch without recompiling
baumgarte  | None, seconds | time constant T: adds -2/T times the velocity and -1/T^2 times the position error
mu         | None, number, {name: number}, "input" | penalty of the constraints, larger is stiffer; None is automatic
iterations | None, count | None: until converged; a number: so many proximal iterations, in straight-line code
contact_dynamics.iterations | None, count | the most passes of Newton's method
tolerance  | None, number | about the relative error of accelerations to stop at
project_configuration.tolerance | number | what a closed pose may leave of any row: metres, radians
fixed      | (), names | joints of one coordinate that keep it
passes     | count | steps of Newton's method
improvement | None, number | by which a Newton step must promise to lower the cost (MuJoCo's tolerance); 0: no matter
rank_tolerance | None, number | scaled singular value below which directions are dependent; 0 enforces everything
warm_start | None, "input" | "input": multipliers, or accelerations, to start from with each call
base       | None, "first", "last" | when a floating base is eliminated, [Sathya2024] eq. 47, 49; None: last if it can
carried    | None, names | constraints whose multipliers are carried to their roots; None: by exact count
equality   | "hard", "soft" | whether constraints are held exactly, or by MuJoCo's soft law
cone       | None, "pyramidal", "elliptic" | friction cone; None takes the model's own
limits     | True, False | whether joint limits act
friction   | True, False | whether dry friction in joints acts
motors     | names | joints that are driven; they must be named
apply      | None, "input" | "input": a vector with each call, to which the result is applied
count      | None, number | how many vectors x a call takes
method     | None, "matrix", "sweeps" | how the operator is factored; None takes what needs the fewest operations
applications | None, number | how many vectors a factorization will serve, for that choice
coordinates | "independent", "spanning" | "spanning": the first input is q, which must close the loops, instead of y
independent | None, names | joints whose coordinates are the independent ones
clusters   | lists of names | joints to be put into one cluster by hand
loops      | None, names | constraints to the ground to be embedded like loops
newton     | None, (n, m) | None: until the pose is found; else steps of Newton's method on the way and at the end
guess      | None, "input" | "input": a configuration with each call, whose branch is followed
pose       | None, (nq,) | configuration to choose pivots at, instead of the model's reference
reflected  | "diagonal", "block", "none" | which part of the rotors' inertia is reflected to the links
frame      | name | the frame
frames     | None, names | the frames; None: every body, the ground included
whole_body_terms.frames | (), names | frames in contact
points     | True, False | whether frames touch at a point: three rows each, linear
seen_from  | "local", "world", "local_world_aligned" | axes and origin that velocities are given in
classical  | True, False | whether accelerations are second derivatives of the origin's position
actuators | None, "input" | "input": the model's actuators act, with controls and states as inputs
""")


def input_meaning(recipe: Recipe, name: str) -> Meaning:
    return _find(INPUTS, "input", recipe, name)


def output_meaning(recipe: Recipe, name: str) -> Meaning:
    return _find(OUTPUTS, "output", recipe, name)


def option_meaning(recipe: Recipe, name: str) -> Meaning:
    return _find(OPTIONS, "option", recipe, name)


def _find(table: dict[str, Meaning], kind: str, recipe: Recipe, name: str) -> Meaning:
    meaning = table.get(f"{recipe.name}.{name}") or table.get(name)
    if meaning is None:
        raise unknown_name(f"{kind} of {recipe.name!r} with a meaning in programs/meanings.py", name, table)
    return meaning
