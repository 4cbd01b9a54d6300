"""Joints tied by functions of their coordinates: phi(q) = 0, or some joints given by others, q = gamma(y).

The functions are traced programs together with their derivatives (made by `linkwright.implicit` and
`linkwright.explicit`), so a model remains plain data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

from ...errors import InputError, ModelError, TraceError
from ...scalar import Scalar
from ...trace import Input, Program, program_from_data, program_to_data, run_on_scalars
from .constraint import Constraint, bodies_of_joints


@dataclass(frozen=True, eq=False, kw_only=True)
class ImplicitFunction(Constraint):
    """phi(q) = 0 for the coordinates of `joints`.

    function   of q and v: outputs "phi", "K" (by rows) and "rate" (K-dot v)
    """

    joints: tuple[str, ...]
    function: Program

    kind: ClassVar[str] = "implicit_function"
    has_position: ClassVar[bool] = True  # type: ignore[assignment]

    def __post_init__(self):
        object.__setattr__(self, "joints", tuple(self.joints))
        super().__post_init__()
        _check_names(self.all_joints, self.name)

    @property
    def size(self) -> int:
        return next(output.size for output in self.function.outputs if output.name == "phi")

    @property
    def all_joints(self) -> tuple[str, ...]:
        return self.joints

    def bodies(self, model) -> tuple[int, ...]:
        return bodies_of_joints(model, self, self.all_joints)

    def value(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[list[Scalar], list[list[Scalar]], list[Scalar]]:
        """(phi, K by rows, K-dot v) at the coordinates of `all_joints`."""
        result = run_on_scalars(self.function, q, v)
        n = len(self.all_joints)
        K = [result["K"][r * n : (r + 1) * n] for r in range(self.size)]
        return result["phi"], K, result["rate"]

    def renamed(self, prefix: str, ground: str) -> ImplicitFunction:
        return replace(self, name=prefix + self.name, joints=tuple(prefix + joint for joint in self.joints))

    def with_locked(self, fixed: Mapping[str, float]) -> ImplicitFunction:
        held = [joint for joint in self.all_joints if joint in fixed]
        if held:
            raise InputError(f"joints {held} take part in constraint {self.name!r}; locking them would change it")
        return self

    def to_dictionary(self) -> dict[str, Any]:
        return {"joints": list(self.joints), "function": program_to_data(self.function)}

    @classmethod
    def from_dictionary(cls, data: Mapping[str, Any]) -> ImplicitFunction:
        inputs = [Input(name, (len(data.get("independent", data["joints"])),)) for name in ("x", "v")]
        try:
            function = program_from_data(data["function"], inputs, f"the function of constraint {data['name']!r}")
        except TraceError as error:
            raise ModelError(str(error)) from None
        return cls(**{**data, "function": function})


@dataclass(frozen=True, eq=False, kw_only=True)
class ExplicitFunction(ImplicitFunction):
    """The coordinates of `joints` as a function of those of `independent`.

    function   of y and yd: outputs "q", "G" (by rows) and "g"
    """

    independent: tuple[str, ...]

    kind: ClassVar[str] = "explicit_function"

    def __post_init__(self):
        object.__setattr__(self, "independent", tuple(self.independent))
        super().__post_init__()

    @property
    def size(self) -> int:
        return len(self.joints)

    @property
    def all_joints(self) -> tuple[str, ...]:
        return (*self.joints, *self.independent)

    def evaluate(self, y: Sequence[Scalar], yd: Sequence[Scalar]):
        """(q, G by rows, g)."""
        result = run_on_scalars(self.function, y, yd)
        n = len(self.independent)
        return result["q"], [result["G"][r * n : (r + 1) * n] for r in range(self.size)], result["g"]

    def value(self, q, v):
        y, yd = q[self.size :], v[self.size :]
        positions, G, g = self.evaluate(y, yd)
        phi = [a - b for a, b in zip(q[: self.size], positions, strict=True)]
        K = [[*(1.0 if r == c else 0.0 for c in range(self.size)), *(-x for x in row)] for r, row in enumerate(G)]
        return phi, K, [-x for x in g]

    def renamed(self, prefix: str, ground: str) -> ExplicitFunction:
        given = tuple(prefix + joint for joint in self.independent)
        return replace(cast(ExplicitFunction, super().renamed(prefix, ground)), independent=given)

    def to_dictionary(self) -> dict[str, Any]:
        return {**super().to_dictionary(), "independent": list(self.independent)}


def _check_names(names: Sequence[str], constraint: str) -> None:
    if not names or len(set(names)) != len(names) or not all(isinstance(x, str) and x for x in names):
        raise ModelError(f"constraint {constraint!r} is between joints {list(names)}; expected names, each once")
