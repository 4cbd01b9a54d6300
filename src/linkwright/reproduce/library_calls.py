"""Libraries that are called as a user would call them: Pinocchio's Python, MuJoCo, Drake and MJX.

Each is handed a model and states, and gives labelled calls for a clock and what its answers are. What it cannot hold it
refuses with an error that says so.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..bench.loop_systems import pinocchio_constraints
from ..bench.peers.mujoco_peer import MujocoPeer, mjcf
from ..errors import UnsupportedError
from ..io import MujocoCoordinates, pinocchio_model, to_pinocchio
from ..model import Model
from .clocks import Call

States = Sequence[np.ndarray]
MU = 1e5
Timed = Iterator[tuple[str, tuple[Call, int, Callable[..., np.ndarray]]]]
"""Label -> (call, samples of a call, what gives accelerations of states)."""


def in_pinocchio(model: Model, states: States) -> list[np.ndarray]:
    return [to_pinocchio(model, states[0]), *states[1:]]


def undamped(model: Model, states: States) -> list[np.ndarray]:
    """Pinocchio leaves joint damping out."""
    q, v, tau = states
    return [to_pinocchio(model, q), v, tau - model.stacked("damping") * v]


def _pinocchio_python(model: Model, states: States) -> Timed:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # else its threads wait for cores, a thousand times as long
    import pinocchio

    other = pinocchio_model(model.without_constraints())
    data = other.createData()
    one = in_pinocchio(model, [x[0].copy() for x in states])

    def tree(q, v, tau):
        return pinocchio.aba(other, data, q, v, tau)

    calls = {"Pinocchio Python aba": tree}
    if model.constraints:
        calls = {"Pinocchio Python constraintDynamics": _constraint_dynamics(pinocchio, model, other)}
    for label, solve in calls.items():
        yield label, (_plain(solve, one), 1, _each(solve, model))


def _constraint_dynamics(pinocchio: Any, model: Model, other: Any) -> Callable[..., np.ndarray]:
    """Three iterations, as the C++ entries have."""
    found = pinocchio_constraints(model, other)
    if isinstance(found, str):
        raise UnsupportedError(f"it has no constraint like {found!r}")
    kinds = {"6d": pinocchio.ContactType.CONTACT_6D, "3d": pinocchio.ContactType.CONTACT_3D}
    models = pinocchio.StdVec_RigidConstraintModel()
    for first, at, kind, second, there in found:
        models.append(pinocchio.RigidConstraintModel(kinds[kind], other, first, at, second, there, pinocchio.LOCAL))
    datas = pinocchio.StdVec_RigidConstraintData()
    datas.extend([c.createData() for c in models])
    data = other.createData()
    settings = pinocchio.ProximalSettings(0.0, 1 / MU, 3)
    pinocchio.initConstraintDynamics(other, data, models, datas)
    return lambda q, v, tau: pinocchio.constraintDynamics(other, data, q, v, tau, models, datas, settings)


def _each(solve: Callable[..., np.ndarray], model: Model) -> Callable[..., np.ndarray]:
    def answers(q, v, tau):
        return np.array([np.array(solve(*state)) for state in zip(*undamped(model, (q, v, tau)), strict=True)])

    return answers


def _plain(solve: Callable[..., object], state: States) -> Call:
    def call() -> None:
        solve(*state)

    return call


def _mujoco(model: Model, states: States) -> Timed:
    peer = MujocoPeer(model)
    few = [x[:4] for x in states]

    def solve(*given):
        return peer.time(*given, repeats=1)[1]

    yield "MuJoCo mj_forward", (lambda: peer.time(*few, repeats=1)[0], 1, solve)


def _drake(model: Model, states: States) -> Timed:
    """Forward dynamics of the tree: of constraints it has contact and steps, and no accelerations of a state."""
    if model.constraints:
        raise UnsupportedError("it gives accelerations of trees only")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    logging.getLogger("drake").setLevel(logging.ERROR)  # of attributes that have nothing to do with dynamics
    plant = MultibodyPlant(time_step=0.0)
    Parser(plant).AddModelsFromString(mjcf(model), "xml")
    plant.Finalize()
    if (plant.num_positions(), plant.num_velocities()) != (model.nq, model.nv):
        raise UnsupportedError(f"it made {plant.num_velocities()} degrees of freedom of {model.nv}")
    context = plant.CreateDefaultContext()
    port, forces = plant.get_generalized_acceleration_output_port(), plant.get_applied_generalized_force_input_port()
    to_drake, from_drake = _drake_coordinates(model)

    def solve(x, force):
        plant.SetPositionsAndVelocities(context, x)
        forces.FixValue(context, force)
        return port.Eval(context)

    def answers(q, v, tau):
        return np.array([from_drake(s[0], s[1], solve(*to_drake(*s))) for s in zip(q, v, tau, strict=True)])

    yield "Drake", (_plain(solve, to_drake(*(x[0] for x in states))), 1, answers)


def _drake_coordinates(model: Model) -> tuple[Callable[..., States], Callable[..., np.ndarray]]:
    """(q, v, tau) -> its state and forces; (q, v, its accelerations) -> a. A floating base comes first, and turns in
    the world's frame, where MuJoCo's turns in its own and moves first."""
    several = [joint for joint in model.joints if joint.nv > 1]
    if several and (several != [model.joints[0]] or not several[0].moves.is_free):
        raise UnsupportedError("it is compared on trees of hinges and slides, perhaps on a floating base")
    of, floating = MujocoCoordinates(model), bool(several)

    def turned(rotation: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.concatenate([rotation @ x[3:6], x[:3], x[6:]]) if floating else x

    def to_drake(q, v, tau):
        qpos = of.to_qpos(q)
        R = _matrix(qpos[3:7]) if floating else np.eye(3)
        places = np.concatenate([qpos[3:7], qpos[:3], qpos[7:]]) if floating else qpos
        return [np.concatenate([places, turned(R, of.to_qvel(q, v))]), turned(R, of.to_force(q, tau))]

    def from_drake(q, v, a):
        if not floating:
            return of.from_qacc(q, v, a)
        R = _matrix(of.to_qpos(q)[3:7])
        return of.from_qacc(q, v, np.concatenate([a[3:6], R.T @ a[:3], a[6:]]))

    return to_drake, from_drake


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    w, x, y, z = quaternion
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def _mjx(model: Model, states: States) -> Timed:
    """A batch in one jitted call, which is what it is for; on this machine's processor."""
    if model.constraints:
        raise UnsupportedError("at random states its constraints would be open, and other problems than these")
    import jax
    import mujoco
    from mujoco import mjx

    jax.config.update("jax_enable_x64", True)
    peer = MujocoPeer(model)
    here = mjx.put_model(peer.model)
    empty = mjx.put_data(peer.model, mujoco.MjData(peer.model))

    def forward(qpos, qvel, force):
        return mjx.forward(here, empty.replace(qpos=qpos, qvel=qvel, qfrc_applied=force)).qacc

    batched = jax.jit(jax.vmap(forward))

    def there(q, v, tau):
        of = peer.coordinates
        return [jax.numpy.asarray(x) for x in (of.to_qpos(q), of.to_qvel(q, v), of.to_force(q, tau))]

    many = there(*states)

    def call() -> None:
        batched(*many).block_until_ready()

    def solve(q, v, tau):
        return peer.coordinates.from_qacc(q, v, np.asarray(batched(*there(q, v, tau))))

    yield "MJX, batched", (call, len(states[0]), solve)


OTHERS: dict[str, Callable[[Model, States], Timed]] = {
    "Pinocchio Python": _pinocchio_python, "MuJoCo": _mujoco, "Drake": _drake, "MJX": _mjx,
}  # fmt: skip
"""Name of a library -> what times it."""
