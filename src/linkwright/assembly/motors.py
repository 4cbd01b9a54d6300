"""`MotorMap`: positions, velocities, torques and inertia of a closed mechanism, as seen by its motors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..call_errors import names_arguments
from ..codegen.arguments import real_numbers
from ..errors import InputError, deprecated
from ..model import Model
from ..model.found_once import found_once
from .checked_arguments import (
    checked,
    checked_configuration,
    checked_model,
    configuration_indices,
    joint_names,
    same_batch,
    velocity_indices,
)
from .closed_configuration import project_configuration
from .compiled_motors import CompiledMotors
from .constraint_functions import constraint_functions
from .motion_of_motors import MotionOfMotors


@names_arguments
class MotorMap:
    """Between motors and all joints of the spanning tree; every method takes one pose or a batch of closed ones.

    motors   joints that are driven. Any joints whose motion determines the rest may play the part, so a second map of
             the joints of an ankle, say, leads the other way
    held     joints taken to stand still in velocities and torques, and to keep their coordinates: the floating base and
             the rest of a robot, where only one closed linkage of it is meant
    """

    def __init__(self, model: Model, motors: str | Iterable[str], *, held: str | Iterable[str] | None = None):
        self.model = checked_model(model)
        self.motors = joint_names(model, "motors", motors)
        self.held = joint_names(model, "held", held)
        if not self.motors:
            raise InputError(f"motors is empty; expected names of driven joints of {model.name!r}")
        both = sorted(set(self.motors) & set(self.held))
        if both:
            raise InputError(f"joints {both} are both motors and held")
        self.nq = len(configuration_indices(model, self.motors))
        self.nv = len(velocity_indices(model, self.motors))
        self._compiled = CompiledMotors(model, self.motors, self.held)
        self._others: dict[tuple[str, ...], MotorMap] = {}

    def __repr__(self) -> str:
        return f"MotorMap({self.model.name!r}, motors={list(self.motors)}, held={list(self.held)})"

    # Positions

    def motor_position(self, q) -> np.ndarray:
        """The motors' coordinates at q (nq,) or (B, nq)."""
        found = self._compiled.motor_position(q)
        if found is not None:
            return found
        return checked_configuration(self.model, "q", q)[..., configuration_indices(self.model, self.motors)]

    def joints_from_motors(self, q_motor, q_guess) -> np.ndarray:
        """The closed configuration with the motors at q_motor, on the branch of q_guess.

        The mechanism is moved there from q_guess with its loops closed; see `project_configuration`.
        """
        found = self._compiled.position(q_motor, q_guess)
        if found is not None:
            return found
        guess = checked_configuration(self.model, "q_guess", q_guess)
        wanted = self._checked("q_motor", q_motor, self.nq)
        batched, (guess, wanted) = same_batch(q_guess=guess, q_motor=wanted)
        target = guess.copy()
        target[:, configuration_indices(self.model, self.motors)] = wanted
        found = project_configuration(self.model, target, fixed=(*self.motors, *self.held), start=guess)
        self._motion(found)  # refuses motors that leave the rest undetermined
        return found if batched else found[0]

    # Velocities and accelerations

    def matrix(self, q) -> np.ndarray:
        """E (nv, motors) with v = E v_motor, at a configuration q."""
        E = self._compiled.matrix(q)
        if E is not None:
            return E
        batched, (q,) = same_batch(q=checked_configuration(self.model, "q", q))
        E = self._motion(q).matrix
        return E if batched else E[0]

    def velocity(self, q, v_motor) -> np.ndarray:
        """All joint velocities (nv,) at the configuration q when the motors turn with v_motor."""
        v = self._compiled.velocity(q, v_motor)
        if v is not None:
            return v
        q, rates = checked_configuration(self.model, "q", q), self._checked("v_motor", v_motor, self.nv)
        batched, (q, rates) = same_batch(q=q, v_motor=rates)
        v = self._motion(q).follow(rates)
        return v if batched else v[0]

    def motor_velocity(self, q, v) -> np.ndarray:
        """The motors' part of v (nv,); the configuration q is not needed, and taken so that all methods read alike."""
        return checked(self.model, "v", v, self.model.nv)[..., velocity_indices(self.model, self.motors)]

    def acceleration(self, q, v, a_motor) -> np.ndarray:
        """All joint accelerations (nv,) when the motors accelerate with a_motor, at q (nq,) and v (nv,)."""
        a = self._compiled.acceleration(q, v, a_motor)
        if a is not None:
            return a
        q, v = checked_configuration(self.model, "q", q), checked(self.model, "v", v, self.model.nv)
        batched, (q, v, rates) = same_batch(q=q, v=v, a_motor=self._checked("a_motor", a_motor, self.nv))
        a = self._motion(q).follow(rates, constraint_functions(self.model).bias(q, v))
        return a if batched else a[0]

    # Torques and inertia

    def torque(self, q, tau) -> np.ndarray:
        """Motor torques that do what joint torques tau (nv,) do at q (nq,): E' tau, of the same power in every
        motion.

        Where there are more motors than motions, those of least norm.
        """
        found = self._compiled.torque(q, tau)
        if found is not None:
            return found
        q, tau = checked_configuration(self.model, "q", q), checked(self.model, "tau", tau, self.model.nv)
        batched, (q, tau) = same_batch(q=q, tau=tau)
        found = np.einsum("bnm,bn->bm", self._motion(q).matrix, tau)
        return found if batched else found[0]

    def joint_torque(self, q, tau_motor, joints: str | Iterable[str] | None = None) -> np.ndarray:
        """tau (nv,) that the motors exert at q (nq,), zero at other joints; or torques at `joints` that would do the
        same.

        An ankle's torque from its motors': joint_torque(q, tau_motor, ["ankle_pitch", "ankle_roll"]).
        """
        motor = self._checked("tau_motor", tau_motor, self.nv)
        tau = np.zeros((*motor.shape[:-1], self.model.nv))
        tau[..., velocity_indices(self.model, self.motors)] = motor
        if joints is None:
            return tau
        names = joint_names(self.model, "joints", joints)
        if names not in self._others:
            self._others[names] = MotorMap(self.model, names, held=self.held)
        return self._others[names].torque(q, tau)

    def inertia(self, q) -> np.ndarray:
        """(motors, motors): what the motors feel of all bodies and rotors at q (nq,), E' M E; kg m^2, kg."""
        found = self._compiled.inertia(q)
        if found is not None:
            return found
        batched, (q,) = same_batch(q=checked_configuration(self.model, "q", q))
        E = self._motion(q).matrix
        found = np.swapaxes(E, 1, 2) @ constraint_functions(self.model).inertia(q) @ E
        return found if batched else found[0]

    def frame_jacobian(self, q, frame: str, seen_from: str = "local", *, reference: str | None = None) -> np.ndarray:
        """(6, motors) with the frame's [linear; angular] velocity = this times the motors' velocities, at q (nq,).

        `seen_from` as for "frame_jacobian": local, world or local_world_aligned; `reference` is its old name.
        """
        if reference is not None:
            deprecated("reference=", "seen_from=")
            seen_from = reference
        found = self._compiled.frame_jacobian(q, frame, seen_from)
        if found is not None:
            return found
        batched, (q,) = same_batch(q=checked_configuration(self.model, "q", q))
        J = constraint_functions(self.model).frame_jacobian(frame, seen_from)(q) @ self.matrix(q)
        return J if batched else J[0]

    def _motion(self, q: np.ndarray) -> MotionOfMotors:
        return MotionOfMotors(self.model, constraint_functions(self.model).jacobian(q), self.motors, self.held)

    def _checked(self, name: str, values, size: int) -> np.ndarray:
        try:
            array = real_numbers(values)
        except (TypeError, ValueError):
            array = np.full(0, np.nan)
        if not array.ndim and size == 1:
            array = array[None]
        if array.ndim not in (1, 2) or array.shape[-1] != size or not np.all(np.isfinite(array)):
            shape = f"({size},) or (B, {size})"
            raise InputError(f"{name} is {values!r}; expected finite numbers {shape} for motors {list(self.motors)}")
        return array


@names_arguments
def closed_loop_jacobian(
    model: Model, q, frame: str, motors: str | Iterable[str], *, seen_from: str = "local",
    held: str | Iterable[str] | None = None, reference: str | None = None,
) -> np.ndarray:  # fmt: skip
    """(6, motors) with the frame's [linear; angular] velocity = this times the motors' velocities, loops kept closed.
    At one configuration q (nq,), or many (B, nq).

    `seen_from` as for "frame_jacobian": local, world or local_world_aligned; `reference` is its old name. `held` as for
    MotorMap.
    """
    checked_model(model)
    drive = _map(model, joint_names(model, "motors", motors), joint_names(model, "held", held))
    return drive.frame_jacobian(q, frame, seen_from, reference=reference)


@found_once
def _map(model: Model, motors: tuple[str, ...], held: tuple[str, ...]) -> MotorMap:
    return MotorMap(model, motors, held=held)
