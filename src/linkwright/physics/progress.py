"""What the parts of one step hand on to one another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..scalar import Scalar, leaves, maximum, rebuild
from .integrator import Stepped
from .passing import counted
from .quantities import Scalars
from .state import ContactReport, State, StepReport, Work

if TYPE_CHECKING:
    from .simulated_mechanism import SimulatedMechanism


@dataclass(frozen=True)
class Progress:
    """The state, and what is told so far of the step. The order of these fields numbers what loops carry, on which the
    last bits of results depend.

    work        of this step so far; passed: seconds of it in singular poses, and with digits perhaps lost
    warm, penetration, effort, touching   with contacts; the last three only where they are carried from part to part
    """

    q: Scalars
    v: Scalars
    lam: Scalars
    a: Scalars
    torque: Scalars
    forces: Any
    residual: Scalar
    drift: Scalar
    status: Scalar
    unmet: Scalar
    verdict: Scalar
    passed: Scalars
    work: Work
    iterations: Scalar
    lead: Scalars
    lag: Scalar
    act: Scalars
    actuator_force: Scalars
    warm: Scalars | None = None
    penetration: Scalars | None = None
    effort: Scalar | None = None
    touching: ContactReport | None = None

    @classmethod
    def at(cls, physics: SimulatedMechanism, state: State) -> Progress:
        """Before the first part."""
        nothing = [0.0] * physics.model.nv
        return cls(
            state.q, state.v, state.lam, nothing, nothing, [[0.0] * 6 for _ in physics.model.constraints], 0.0, 0.0,
            0.0, 0.0, 0.0, [0.0, 0.0], Work(), 0.0, state.lead, state.lag, state.act,
            [0.0] * (0 if physics.inputs.ctrl is None else physics.model.nu), state.warm,
        )  # fmt: skip

    def since(self, before: Progress, physics: SimulatedMechanism, h: Scalar, solves: Scalar) -> Progress:
        """A part of h seconds, together with what was `before` it: sums, and the largest of all parts."""
        iterations = before.iterations + solves
        work = rebuild(self.work, [x + y for x, y in zip(leaves(before.work), leaves(self.work), strict=True)])
        judged = counted(self, before.v, before.passed, physics.pace, h)
        residual, status = maximum(self.residual, before.residual), maximum(self.status, before.status)
        unmet, verdict = maximum(judged.unmet, before.unmet), maximum(judged.verdict, before.verdict)
        drift = maximum(self.drift, before.drift)
        penetration = self.penetration
        if before.penetration is not None and penetration is not None:
            penetration = [maximum(x, y) for x, y in zip(penetration, before.penetration, strict=True)]
        return replace(
            self, iterations=iterations, work=work, passed=judged.passed, residual=residual, status=status, unmet=unmet,
            verdict=verdict, drift=drift, penetration=penetration,
        )  # fmt: skip

    def stepped(self, error: Scalar | None = None) -> Stepped:
        """As the end of the step."""
        state = State(
            q=self.q, v=self.v, lam=self.lam, lead=self.lead, lag=self.lag,
            warm=self.a if self.warm is None else self.warm, work=self.work, act=self.act,
        )  # fmt: skip
        report = StepReport(
            self.a, self.torque, self.forces, self.residual, self.drift, self.status, self.iterations,
            0.0 if self.effort is None else self.effort, self.actuator_force, self.unmet, self.verdict, self.passed,
            self.penetration or (0.0, 0.0), self.touching,
        )  # fmt: skip
        return Stepped(state, error, report)
