"""`ClusterRecipe`: programs whose inputs are sized by independent coordinates, and the options they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, UnsupportedError
from ..model import Model
from ..model.parameters import parameter_shapes
from .cluster_state import plan_of
from .recipe import SHAPES, Recipe

COORDINATES = ("independent", "spanning")
REFLECTIONS = ("diagonal", "block", "none")
OPTIONS = {
    "coordinates": "independent", "independent": None, "clusters": (), "loops": None, "newton": None, "guess": None,
    "pose": None,
}  # fmt: skip


@dataclass(frozen=True)
class ClusterRecipe(Recipe):
    """A recipe whose inputs are sized by the independent coordinates, which options may change."""

    def resolve_options(self, given):
        """Lists and arrays as tuples, exact to the last bit: options identify programs in the cache."""
        return {name: _frozen(value) for name, value in super().resolve_options(given).items()}

    def input_shapes(self, model, parameters, f_ext, options):
        plan = plan_of(model, options)
        ny = sum(map(len, plan.independent))
        spanning = options["coordinates"] == "spanning"
        sizes: dict[str, Callable[[], tuple[int, ...]]] = {
            "y": lambda: (len(plan.coordinates),), "yd": lambda: (ny,), "ydd": lambda: (ny,), "tau_y": lambda: (ny,),
            "guess": lambda: (model.nq,), "q": lambda: (model.nq,),
        }  # fmt: skip
        names = ["q" if name == "y" and spanning else name for name in self.inputs]
        names += ["f_ext"] if f_ext else []
        names += ["guess"] if options["guess"] == "input" else []
        shapes = {name: sizes[name]() if name in sizes else SHAPES[name](model) for name in names}
        return {**shapes, **parameter_shapes(model, parameters)}


def _frozen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _check_options(model: Model, options: Mapping[str, Any]) -> None:
    if options["coordinates"] not in COORDINATES:
        raise InputError(f"coordinates is {options['coordinates']!r}; expected one of {', '.join(COORDINATES)}")
    if options["guess"] not in (None, "input"):
        raise InputError(f"guess is {options['guess']!r}; expected 'input', to give one with each call, or None")
    if options.get("reflected", "diagonal") not in REFLECTIONS:
        raise InputError(f"reflected is {options['reflected']!r}; expected one of {', '.join(REFLECTIONS)}")
    newton = options["newton"]
    steps = newton if isinstance(newton, tuple | list) else ()
    counted = [n for n in steps if isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= 50]
    if newton is not None and not len(counted) == len(steps) == 2:
        raise InputError(
            f"newton is {newton!r}; expected None, to go on until the pose is found, or (steps on the way, steps "
            f"at the end), each 0 to 50"
        )


def check_embeds_all(model: Model, options: Mapping[str, Any]) -> None:
    """Raises where some loop cannot be embedded, or some constraint is not."""
    plan = plan_of(model, options)
    outside = [c.name for n, c in enumerate(model.constraints) if n not in plan.embedded]
    if outside:
        raise UnsupportedError(_not_embedded(model, outside))


def _not_embedded(model: Model, outside: list[str]) -> str:
    """What can be done about constraints to the ground; those that do not say where cannot be embedded."""
    placed = [c.name for c in model.constraints if c.name in outside and c.has_position]
    loose = [name for name in outside if name not in placed]
    ways = [f"embed {placed} too with loops={placed}"] if placed else []
    if loose:
        ways.append(f"say where {loose} hold their frames (at=...), then they can be embedded with loops={loose}")
    return (
        f"constraints {outside} hold frames on the ground and are not embedded; {'; '.join(ways)}; or leave them out "
        f"(model.without_constraints().with_constraints(...), with the others): 'lcaba' takes loops and contacts "
        f"together"
    )


def cluster_recipe(
    name, summary, inputs, outputs, evaluate, *, optional=(), options=None, contacts=False, default=1, **declared: Any
) -> ClusterRecipe:
    """The first `default` outputs are those given when none are named."""
    return ClusterRecipe(
        name, summary, inputs, outputs, evaluate, optional, outputs[:default], {**OPTIONS, **(options or {})},
        check_options=_check_options, check_plan=plan_of if contacts else check_embeds_all,
        freezes_constraints=lambda options: True, coordinates="independent", constraints="any", **declared,
    )  # fmt: skip
