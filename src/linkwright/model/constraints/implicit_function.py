"""Joints tied by a function of their coordinates: phi(q) = 0.

Functions are traced programs together with their derivatives (made by `linkwright.implicit` and
`linkwright.explicit`), so a model remains plain data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ...errors import InputError, ModelError, TraceError
from ...scalar import Scalar
from ...spatial import Force
from ...trace import Input, Program, program_from_data, program_to_data, run_on_scalars
from .at_state import Motions, Terms
from .constraint import constraint_kind
from .joint_tie import JointTie, TieAtState


@constraint_kind
@dataclass(frozen=True, eq=False, kw_only=True)
class ImplicitFunction(JointTie):
    """phi(q) = 0 for the coordinates of `joints`.

    function   of q and v: outputs "phi", "K" (by rows) and "rate" (K-dot v)
    """

    joints: tuple[str, ...]
    function: Program

    kind: ClassVar[str] = "implicit_function"

    def __post_init__(self):
        object.__setattr__(self, "joints", tuple(self.joints))
        super().__post_init__()
        names = self.tied_joints
        if not names or len(set(names)) != len(names) or not all(isinstance(x, str) and x for x in names):
            raise ModelError(f"constraint {self.name!r} is between joints {list(names)}; expected names, each once")

    @property
    def size(self) -> int:
        return next(output.size for output in self.function.outputs if output.name == "phi")

    @property
    def functions(self) -> tuple[Program, ...]:  # type: ignore[override]
        return (self.function,)

    @property
    def tied_joints(self) -> tuple[str, ...]:
        return self.joints

    def value(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[list[Scalar], list[list[Scalar]], list[Scalar]]:
        """(phi, K by rows, K-dot v) at the coordinates of `tied_joints`."""
        result = run_on_scalars(self.function, q, v)
        n = len(self.tied_joints)
        K = [result["K"][r * n : (r + 1) * n] for r in range(self.size)]
        return result["phi"], K, result["rate"]

    def renamed(self, prefix: str, ground: str) -> ImplicitFunction:
        return replace(self, name=prefix + self.name, joints=tuple(prefix + joint for joint in self.joints))

    def with_locked(self, fixed: Mapping[str, float]) -> ImplicitFunction:
        held = [joint for joint in self.tied_joints if joint in fixed]
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

    def at(self, tree, q, poses) -> FunctionAtState:
        return FunctionAtState(tree, q, poses, self)

    def joint_rows(self, tree, x, rates):
        return self.value(x, rates)


class FunctionAtState(TieAtState):
    """phi of the joints' coordinates."""

    def _value(self, v: Sequence[Scalar] | None = None):
        rates = [0.0] * len(self.joints()) if v is None else self.rates(v)
        return self.constraint.value(self.coordinates(), rates)

    def rows(self) -> list[Force]:
        return self.on_first_body([row[0] for row in self._value()[1]])

    def terms(self) -> Terms:
        """As of couplings: along each joint's axis on its body, and against it on the parent."""
        tree, K = self.tree, self._value()[1]
        sums: dict[int, list[Force]] = {}
        for c, i in enumerate(self.joints()):
            unit = self.along(i)
            for body, along in ((i, unit), (tree.parent[i], tree.Xtree[i].T @ -unit)):
                if body:
                    rows = [along * row[c] for row in K]
                    sums[body] = [a + b for a, b in zip(sums[body], rows, strict=True)] if body in sums else rows
        return [(body, tuple(rows)) for body, rows in sums.items()]

    def motion(self, motions: Motions) -> tuple[list[Scalar], list[Scalar]]:
        _, K, rate = self._value(motions.rates)
        rates = self.rates(motions.rates)
        velocity = [sum((k * x for k, x in zip(row, rates, strict=True)), start=0.0) for row in K]
        return velocity, rate

    def error(self) -> list[Scalar]:
        return self._value()[0]
