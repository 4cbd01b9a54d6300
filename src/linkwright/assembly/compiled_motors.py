"""`MotorMap` at the speed of compiled code: motors as the independent joints of clusters, where they can be.

Everything here answers None where that is not so: a motor too many, constraints that do not say where, a pose that is
open or close to a dead centre, numbers that are not finite. The caller then takes the slow way, which also knows what
to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen.arguments import real_numbers
from ..compilation import compile
from ..errors import LinkwrightError
from ..model import Model
from ..programs import RECIPES
from ..programs.cluster_state import plan_of
from .checked_arguments import configuration_indices, velocity_indices

_FLOAT = np.dtype(float)
_UNIT_TOLERANCE = 2e-6  # of a quaternion's square
_NEAR = 0.5  # radians or metres: motors that go farther in one call have the mechanism moved there in small steps


class CompiledMotors:
    def __init__(self, model: Model, motors: Sequence[str], held: Sequence[str]):
        self.model, self._motors, self._held = model, tuple(motors), tuple(held)
        self._motor_coordinates = configuration_indices(model, motors)
        self._count = len(velocity_indices(model, motors))
        self._programs: dict[tuple[str, ...], Callable] = {}

    @cached_property
    def _options(self) -> dict | None:
        """Of cluster programs in which the motors are independent, and what is held; None if they cannot be."""
        model = self.model
        if not model.nc or not all(c.has_position for c in model.constraints):
            return None
        options = {"loops": tuple(c.name for c in model.constraints), "coordinates": "spanning"}
        every = {**RECIPES["spanning_velocity"].options, **options}
        try:
            graph = plan_of(model, {**every, "independent": ()}).graph
            inside = {model.joints[i - 1].name for c in graph.clusters if c.constraints for i in c.bodies if i}
            options["independent"] = tuple(name for name in (*self._motors, *self._held) if name in inside)
            plan = plan_of(model, {**every, **options})
            if not options["independent"] or plan.partly_free:
                return None
        except LinkwrightError:
            return None
        self._velocities = np.array(sorted(n for own in plan.independent for n in own), dtype=int)
        self._coordinates = np.array(plan.coordinates, dtype=int)
        given = [*velocity_indices(model, self._motors), *velocity_indices(model, self._held)]
        if not set(self._velocities) <= set(given):
            return None  # something is left undetermined
        place = {n: k for k, n in enumerate(self._velocities)}
        self._columns = np.array([place[n] for n in velocity_indices(model, self._motors)], dtype=int)
        self._in_order = np.array_equal(self._columns, np.arange(len(self._velocities)))
        quaternions = [i for i, joint in enumerate(model.joints, 1) if joint.nq != joint.nv]
        self._quaternions = [slice(model.iq[i].stop - 4, model.iq[i].stop) for i in quaternions]
        return options

    def velocity(self, q, rates) -> np.ndarray | None:
        arrays = self._arrays((q, self.model.nq), (rates, self._count))
        return None if arrays is None else self._run("spanning_velocity", "v", arrays[0], self._spread(arrays[1]))

    def acceleration(self, q, v, rates) -> np.ndarray | None:
        arrays = self._arrays((q, self.model.nq), (v, self.model.nv), (rates, self._count))
        if arrays is None:
            return None
        q, v, rates = arrays
        yd = v.take(self._velocities, axis=-1)
        found = self._run("spanning_acceleration", ("a", "v"), q, yd, self._spread(rates))
        if found is None:
            return None
        a, own = found
        # the bias of velocities that do not keep the loops closed is another matter
        return a if np.abs(own - v).max() <= 1e-9 * np.abs(v).max() else None

    def torque(self, q, tau) -> np.ndarray | None:
        arrays = self._arrays((q, self.model.nq), (tau, self.model.nv))
        return None if arrays is None else self._of_motors(self._run("independent_torque", "tau_y", *arrays))

    def matrix(self, q) -> np.ndarray | None:
        arrays = self._arrays((q, self.model.nq))
        if arrays is None:
            return None
        at_rest = np.zeros((*arrays[0].shape[:-1], len(self._velocities)))
        return self._of_motors(self._run("loop_jacobians", "G", *arrays, at_rest))

    def frame_jacobian(self, q, frame: str, seen_from: str) -> np.ndarray | None:
        arrays = self._arrays((q, self.model.nq))
        if arrays is None:
            return None
        return self._of_motors(self._run("cluster_frame_jacobian", "J", *arrays, frame=frame, seen_from=seen_from))

    def inertia(self, q) -> np.ndarray | None:
        arrays = self._arrays((q, self.model.nq))
        found = None if arrays is None else self._run("cluster_crba", "H", *arrays)
        if found is None or self._in_order:
            return found
        return np.ascontiguousarray(found[..., self._columns[:, None], self._columns])

    def position(self, wanted, guess) -> np.ndarray | None:
        """The pose with the motors as wanted, on the branch of the guess, if they are near there."""
        arrays = self._arrays((guess, self.model.nq), (wanted, len(self._motor_coordinates)))
        if arrays is None:
            return None
        guess, wanted = arrays
        if not np.abs(wanted - guess.take(self._motor_coordinates, axis=-1)).max(initial=0.0) <= _NEAR:
            return None
        target = guess.copy()
        target[..., self._motor_coordinates] = wanted
        return self._run("spanning_position", "q", target.take(self._coordinates, axis=-1), guess)

    def motor_position(self, q) -> np.ndarray | None:
        arrays = self._arrays((q, self.model.nq))
        if arrays is None or not np.isfinite(arrays[0]).all():
            return None
        return arrays[0].take(self._motor_coordinates, axis=-1)

    # Calls

    def _run(self, name: str, output: str | tuple[str, ...], *inputs: np.ndarray, **further: str) -> Any:
        key = (name, *further.values())
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = self._compiled(name, output, further)
        *found, status = program(*inputs)
        if status.any() if status.ndim else status:
            return None
        return found[0] if type(output) is str else found

    def _compiled(self, name: str, output: str | tuple[str, ...], further: dict[str, str]) -> Callable:
        options = {**(self._options or {}), **further}
        if name == "spanning_position":
            options |= {"coordinates": "independent", "guess": "input"}
        outputs = (output,) if isinstance(output, str) else output
        return compile(self.model, name, outputs=(*outputs, "status"), **options)

    def _arrays(self, *given: tuple[Any, int]) -> list[np.ndarray] | None:
        """Values, each with its expected size, as numbers of one batch shape; None if anything is amiss."""
        if self._options is None:
            return None
        arrays = []
        batch: list[int] | None = None
        for values, size in given:
            x = values
            if type(x) is not np.ndarray or x.dtype != _FLOAT:
                try:
                    x = real_numbers(values)
                except (TypeError, ValueError):
                    return None
            *sizes, last = x.shape or (0,)
            if last != size or len(sizes) > 1 or (batch is not None and sizes != batch):
                return None
            batch = sizes
            arrays.append(x)
        for quaternion in self._quaternions:
            part = arrays[0][..., quaternion]
            off = part @ part - 1.0 if part.ndim == 1 else np.abs(np.square(part).sum(axis=1) - 1.0).max(initial=0.0)
            if not abs(off) <= _UNIT_TOLERANCE:
                return None
        return arrays

    def _of_motors(self, found: np.ndarray | None) -> np.ndarray | None:
        """The motors' columns, in the order of the motors."""
        return found if found is None or self._in_order else np.ascontiguousarray(found[..., self._columns])

    def _spread(self, rates: np.ndarray) -> np.ndarray:
        """yd, zero where joints are held."""
        if self._in_order:
            return rates
        yd = np.zeros((*rates.shape[:-1], len(self._velocities)))
        yd[..., self._columns] = rates
        return yd
