"""Options of a step, each on the object that needs it: what does not belong together cannot be written.

Users and files name options flat (`simulate(robot, projection=True)`). Names, defaults and meanings are declared here,
once, and `StepOptions.of` puts them where they belong, or refuses them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from numbers import Real
from typing import Any

import numpy as np

from ..errors import InputError
from ..model import Model
from ..model.contact.law import CONES
from ..model.simulation_defaults import DEFAULT_INTEGRATOR
from ..programs import RECIPES
from ..programs.choice import check_solver
from ..programs.precision import Precision
from .accuracy_control import ErrorControl, check_accuracy
from .controller import Fixed, StepController
from .integrator import INTEGRATORS, Integrator, integrator_of
from .state import (
    ACTIVATIONS,
    BOOKS,
    BOOKS_OF_COMMANDS,
    COMMANDS,
    FEEDBACK,
    MEMORY,
    MEMORY_OF_CONTACTS,
    MEMORY_OF_RATES,
    SWITCHES,
)

ACCURATE = "dormand_prince"  # where a call asks for an accuracy and names no integrator
COORDINATES = ("spanning", "independent")
_MOST_COUNTED = 100  # iterations that a call may count
_MOST_PASSES = 1000  # of Newton's method that a call may allow


def option(default: Any, values: str, text: str, driven: bool = False) -> Any:
    """A field of options: the values it takes and what it means. Those that are `driven` are set by whoever drives the
    step (simulate, Simulator, ...), not by its caller."""
    return field(default=default, metadata={"values": values, "text": text, "driven": driven})


@dataclass(frozen=True)
class JointOptions:
    """What acts on joints."""

    friction: bool = option(True, "True, False", "whether dry friction in joints acts")
    limits: bool = option(True, "True, False", "whether joint limits act")
    effort_limits: bool = option(True, "True, False", "whether controls are cut at the joints' efforts")
    velocity_limits: bool = option(True, "True, False", "whether velocities of joints are limited")
    actuators: str | None = option(
        None, 'None, "input"', '"input": the model\'s actuators act, with controls and states as inputs', driven=True
    )
    feedback: tuple[int, ...] = option(
        (), "indices", "velocities with compiled proportional-derivative control", driven=True
    )


@dataclass(frozen=True)
class Held:
    """Constraints are held by forces, and nothing touches."""

    solver: str | None = option(None, "None, name", "forward dynamics used; None takes the cheapest that suits")
    iterations: int | None = option(
        None, "None, count", "None: until converged; a number: so many proximal iterations, in straight-line code"
    )
    mu: Any = option(
        None, 'None, number, {name: number}, "input"',
        "penalty of the constraints, larger is stiffer; None is automatic",
    )  # fmt: skip
    projection: bool = option(
        False, "True, False", "whether the pose is projected onto the constraints after each step"
    )


@dataclass(frozen=True)
class Embedded:
    """Loops are embedded: independent joints are integrated, the others follow."""


@dataclass(frozen=True)
class SoftLaw:
    """Contacts, limits and dry friction follow MuJoCo's soft law."""

    equality: str = option("hard", '"hard", "soft"', "whether constraints are held exactly, or by MuJoCo's soft law")
    cone: str | None = option(None, 'None, "pyramidal", "elliptic"', "friction cone; None takes the model's own")
    tolerance: float | None = option(None, "None, number", "about the relative error of accelerations to stop at")
    improvement: float | None = option(
        None, "None, number",
        "by which a Newton step must promise to lower the cost (MuJoCo's tolerance); 0: no matter",
    )  # fmt: skip
    iterations: int | None = None  # declared above; here the most passes of Newton's method

    def check(self) -> None:
        """Refuse what these cannot be."""
        if self.equality not in ("hard", "soft"):
            raise InputError(f"equality is {self.equality!r}; expected 'hard' or 'soft'")
        if self.cone is not None and self.cone not in CONES:
            raise InputError(f"cone is {self.cone!r}; expected {' or '.join(CONES)}, or None for the model's own")
        count = self.iterations
        if count is not None and not (_is_count(count) and 1 <= count <= _MOST_PASSES):
            raise InputError(
                f"iterations is {count!r}; expected a whole number from 1 to {_MOST_PASSES}, or None for up to 100"
            )
        check_positive("tolerance", self.tolerance)
        if self.improvement != 0.0:
            check_positive("improvement", self.improvement)


@dataclass(frozen=True)
class Purpose:
    """What a program is traced for."""

    precision: Precision = Precision()
    differentiated: bool = False
    """For its derivatives, which are taken at a simpler way to the same result."""


@dataclass(frozen=True)
class StepOptions:
    """How a step is taken."""

    integrator: Integrator
    dynamics: Held | Embedded | SoftLaw = Held()
    joints: JointOptions = JointOptions()
    baumgarte: float | str | None = option(
        "auto", '"auto", None, seconds', 'time constant of the stabilization; "auto" is derived from the step'
    )
    warm_start: str | None = option(
        None, 'None, "input"', '"input": multipliers, or accelerations, to start from with each call', driven=True
    )
    active: str | None = option(
        None, 'None, "input"', '"input": which constraints hold is given with each call, as `holding`', driven=True
    )
    books: str | None = option(
        None, 'None, "input"', '"input": work and worst values are carried from call to call', driven=True
    )
    accuracy: float | None = option(
        None, "None, number",
        "error that a part of a step may make, relative to the speed of the motion; None: steps of dt",
    )  # fmt: skip
    watch: bool | None = option(
        None, "None, True, False",
        "whether the status tells of contacts that are not computed, where none is; None: unless they were left out",
        driven=True,
    )  # fmt: skip
    controller: StepController = Fixed()
    purpose: Purpose = Purpose()

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> StepOptions:
        """From names as a request has them, its model's defaults filled in."""
        own = lambda kind: {f.name: options[f.name] for f in declared_in(kind) if f.name in options}  # noqa: E731
        dynamics: Held | Embedded | SoftLaw
        if options["contact"] == "soft":
            dynamics = SoftLaw(**own(SoftLaw), iterations=options["iterations"])
        else:
            dynamics = Embedded() if options["coordinates"] == "independent" else Held(**own(Held))
        precision = Precision.of(options)
        return cls(
            integrator_of(options["integrator"]), dynamics, JointOptions(**own(JointOptions)), **own(StepOptions),
            controller=Fixed() if options["accuracy"] is None else ErrorControl(options["accuracy"]),
            purpose=Purpose(precision, bool(options.get("differentiated", False))),
        )  # fmt: skip

    @property
    def law(self) -> SoftLaw | None:
        """The law of contacts, if there is one."""
        return self.dynamics if isinstance(self.dynamics, SoftLaw) else None

    @property
    def projection(self) -> bool:
        """Whether poses are projected onto the constraints."""
        return isinstance(self.dynamics, Held) and self.dynamics.projection

    @property
    def groups(self) -> frozenset[str]:
        """Of quantities that the program takes besides those it always takes (state.py)."""
        driven, remembers = bool(self.joints.actuators), bool(self.warm_start)
        taken = {
            COMMANDS: driven, MEMORY: remembers, MEMORY_OF_CONTACTS: remembers and self.law is not None,
            MEMORY_OF_RATES: remembers and self.law is None and self.integrator.remembers_rates,
            FEEDBACK: bool(self.joints.feedback), BOOKS: bool(self.books), ACTIVATIONS: driven,
            BOOKS_OF_COMMANDS: driven and bool(self.books), SWITCHES: bool(self.active),
        }  # fmt: skip
        return frozenset(group for group, is_taken in taken.items() if is_taken)


_CHOICES = {
    "integrator": (None, "None, name, Integrator", "how the step is taken; None: as the model says"),
    "contact": ("auto", '"auto", "soft", None', "law of contacts; \"auto\" is soft where the model has pairs"),
    "coordinates": ("spanning", '"spanning", "independent"', "whether loops are held by forces, or embedded"),
}
"""What chooses among the objects above: default, values, meaning."""


def declared_in(kind: type) -> Iterator[Field[Any]]:
    """Fields that are options by name."""
    return (own for own in fields(kind) if "values" in own.metadata)


def declared() -> dict[str, tuple[Any, str, str, bool]]:
    """Every option of a step by name: its default, values, meaning, and whether drivers set it."""
    found: dict[str, tuple[Any, str, str, bool]] = {name: (*row, False) for name, row in _CHOICES.items()}
    for kind in (Held, SoftLaw, JointOptions, StepOptions):
        for own in declared_in(kind):
            told = own.metadata
            found[own.name] = (own.default, told["values"], told["text"], told["driven"])
    return found


def defaults() -> dict[str, Any]:
    """Of every option of a step, by name."""
    return {name: row[0] for name, row in declared().items()}


def of_callers() -> tuple[str, ...]:
    """Names of the options that callers of simulate, Simulator and rollout may give."""
    return tuple(name for name, row in declared().items() if not row[3])


def given_options(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Those of `of_callers` among the arguments of a function that takes all of them by name."""
    return {name: arguments[name] for name in of_callers()}


def check_options(model: Model, options: Mapping[str, Any]) -> None:
    """Refuse what has no meaning, or none together."""
    integrator = integrator_of(options["integrator"])
    if options["contact"] not in ("soft", None):
        given = options["contact"]
        raise InputError(f"contact is {given!r}; expected 'soft', None, or 'auto': soft if there are pairs")
    if options["contact"] == "soft":
        SoftLaw(**{own.name: options[own.name] for own in fields(SoftLaw)}).check()
        if not integrator.takes_contacts:
            able = [repr(one.name) for one in INTEGRATORS.values() if one.takes_contacts]
            raise InputError(
                f"integrator is {integrator.name!r}, and contact 'soft'; contacts take {' or '.join(able)}, or "
                f"contact=None leaves them out"
            )
        _refuse(options, Held, "is for simulations without contacts; leave it out, or contact=None", ("iterations",))
    else:
        _refuse(options, SoftLaw, "is the soft law's, and there is no contact here; leave it out", ("equality",))
    bound = bound_tendons(model, options["limits"] is True, options["friction"] is True)
    if options["contact"] is None and bound:
        raise InputError(
            f"contact is None, and tendon {bound[0]!r} has limits or dry friction, which are the soft law's: give "
            f"contact='soft', or leave them out with limits=False, friction=False"
        )
    if options["coordinates"] not in COORDINATES:
        raise InputError(f"coordinates is {options['coordinates']!r}; expected one of {', '.join(COORDINATES)}")
    if options["coordinates"] == "independent":
        for name, usual in (*((f.name, f.default) for f in declared_in(Held)), ("contact", None)):
            if options[name] != usual:
                raise InputError(
                    f"{name} is {options[name]!r}, which is for coordinates='spanning'; with 'independent' give "
                    f"{name}={usual!r}"
                )
        if options["baumgarte"] not in ("auto", None):
            raise InputError(
                f"baumgarte is {options['baumgarte']!r}, and with coordinates='independent' nothing drifts that could "
                f"be stabilized; leave it out"
            )
    if options["solver"] is not None:
        check_solver(model, options["solver"])
    if options["accuracy"] is not None:
        check_accuracy(options["accuracy"], integrator, options["contact"])
    iterations, T = options["iterations"], options["baumgarte"]
    counted = _is_count(iterations) and 1 <= iterations <= _MOST_COUNTED
    if iterations is not None and not counted and options["contact"] is None:
        raise InputError(
            f"iterations is {iterations!r}; expected a whole number from 1 to {_MOST_COUNTED}, or None for as many as "
            f"it takes"
        )
    number = isinstance(T, int | float) and not isinstance(T, bool)
    if T is not None and T != "auto" and not (number and np.isfinite(T) and T > 0):
        raise InputError(f"baumgarte is {T!r}; expected a positive time constant in seconds, 'auto' or None")
    for name in ("projection", "friction", "limits", "effort_limits", "velocity_limits"):
        if not isinstance(options[name], bool):
            raise InputError(f"{name} is {options[name]!r}; expected True or False")
    if options["active"]:
        _check_switches(model, options, integrator)
    for name in ("warm_start", "books", "actuators", "active"):
        if options[name] not in (None, "input"):
            raise InputError(f"{name} is {options[name]!r}; expected 'input', to give it with each call, or None")
    for k in options["feedback"]:
        if not isinstance(k, int) or not 0 <= k < model.nv:
            raise InputError(f"feedback names velocity {k!r}; expected whole numbers from 0 to {model.nv - 1}")


def _check_switches(model: Model, options: Mapping[str, Any], integrator: Integrator) -> None:
    """Refuse switches of constraints where there are none, or where steps could not follow them."""
    if not model.constraints:
        raise InputError(f"active was given, and {model.name!r} has no constraints to switch")
    if options["coordinates"] == "independent":
        raise InputError("active was given with coordinates='independent': loops that are embedded cannot be opened")
    if not integrator.switches_constraints:
        able = [repr(one.name) for one in INTEGRATORS.values() if one.switches_constraints]
        raise InputError(f"active was given, and {integrator.name!r} switches no constraints; {', '.join(able)} do")
    if options["contact"] == "soft" and options["equality"] == "soft":
        raise InputError("active was given with equality='soft'; constraints that are switched need equality='hard'")
    if options["solver"] is not None and "active" not in RECIPES[options["solver"]].options:
        raise InputError(f"active was given, and solver {options['solver']!r} switches no constraints; leave it out")


def _refuse(options: Mapping[str, Any], kind: type, why: str, but: Collection[str]) -> None:
    """Options of a kind of dynamics that are given and do not apply."""
    for own in declared_in(kind):
        usual = (own.default, 0.0) if own.name == "improvement" else (own.default,)
        if own.name not in but and options[own.name] not in usual:
            raise InputError(f"{own.name} is {options[own.name]!r}, which {why}")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def check_positive(name: str, value: Any) -> None:
    """Refuse what is no positive number, and not None."""
    number = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
    if value is not None and not (number and value > 0):
        raise InputError(f"{name} is {value!r}; expected a positive number, or None")


def bound_tendons(model: Model, limits: bool = True, friction: bool = True) -> list[str]:
    """Names of tendons that have limits or dry friction."""
    return [one.name for one in model.tendons if (limits and one.limited) or (friction and one.friction)]


def settled_options(model: Model, options: dict[str, Any], parameters: Sequence[str] = ()) -> dict[str, Any]:
    """With what the model's file names: integrator, passes and tolerance of contacts; and the soft law for "auto" where
    the model has pairs, or tendons that only this law knows to bound."""
    contact, given = options["contact"], options["integrator"]
    integrator = integrator_of(model.simulation.chosen_integrator(given))
    if given is None and options.get("accuracy") is not None and integrator.error_order is None:
        integrator = integrator_of(ACCURATE)  # a file's scheme has no estimate of its error
    if contact == "auto":
        contact = "soft" if model.pairs or bound_tendons(model) else None
    if given is None and contact == "soft" and not integrator.takes_contacts:
        integrator = integrator_of(DEFAULT_INTEGRATOR)  # contacts make no smooth motion
    watch = options.get("watch")
    unasked = options["contact"] == "auto" and contact is None and bool(model.shapes)
    settled = {
        **options, "contact": contact, "integrator": integrator, "watch": unasked if watch is None else watch,
    }  # fmt: skip
    if contact == "soft":
        if options.get("iterations") is None:
            settled["iterations"] = model.simulation.iterations
        if options.get("improvement") is None:  # what files call tolerance
            wanted = model.simulation.tolerance or 0.0
            settled["improvement"] = wanted if options.get("tolerance") is None else 0.0
    return settled


def needs_double(options: Mapping[str, Any]) -> bool:
    """Whether a step computes in double precision also for arrays of floats: where its solver does."""
    if options["contact"] == "soft":
        return True
    if options["solver"] is None:
        return options["iterations"] is None
    solver = RECIPES[options["solver"]]
    return solver.needs_double({**solver.options, "iterations": options["iterations"]})
