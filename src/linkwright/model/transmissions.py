"""Drives as couplings of joints: gears, parallel belts, differentials, shafts joined at an angle."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..call_errors import names_arguments
from ..errors import ModelError
from ..scalar import Numbers
from .constraints import Coupling, couple, transmission


@names_arguments
def gear(rotor: str, link: str, ratio: float, *, name: str | None = None) -> Coupling:
    """q_rotor = ratio q_link: turns of the rotor per turn of the link."""
    return couple(rotor, link, [0.0, _ratio(ratio, f"gear of {rotor!r}")], name=name)


@names_arguments
def parallel_belts(
    links: Sequence[str], rotors: Sequence[str], gears: Numbers, belts: Sequence[Numbers]
) -> tuple[Coupling, ...]:
    """Rotors side by side that drive a chain of links by belts ([Chignoli2023] Fig. 1a).

    Rotor k turns with gears[k] times the sum of the first links' angles, each times the product of its belts so far.
    With gears 6 and belts (2,) the knee's rotor turns 12 q_knee, with (2, 1) the ankle's turns 12 q_knee + 12 q_ankle.
    """
    links, rotors = tuple(links), tuple(rotors)
    if not len(links) == len(rotors) == len(gears) == len(belts):
        raise ModelError(
            f"parallel belts of {len(links)} links were given {len(rotors)} rotors, {len(gears)} gears and "
            f"{len(belts)} lists of belts; expected as many of each"
        )
    couplings = []
    for k, (rotor, ratio, own) in enumerate(zip(rotors, gears, belts, strict=True)):
        if len(own) > len(links) or not len(own):
            raise ModelError(f"rotor {rotor!r} has belts {list(own)}; expected 1 to {len(links)}, one per link passed")
        cumulative, terms = _ratio(ratio, f"gear of {rotor!r}"), {rotor: 1.0}
        for link, belt in zip(links, own, strict=False):
            cumulative *= _ratio(belt, f"belt of {rotor!r} at {link!r}")
            terms[link] = -cumulative
        couplings.append(transmission(terms, name=f"{rotors[k]}_belt"))
    return tuple(couplings)


@names_arguments
def differential(
    rotors: tuple[str, str], links: tuple[str, str], ratio: float
) -> tuple[Coupling, Coupling]:
    """Two rotors that turn the first link together and the second link against each other, as bevel gears do.

    q_rotor1 = ratio (q_link1 + q_link2), q_rotor2 = ratio (q_link1 - q_link2).
    """
    ratio = _ratio(ratio, f"differential of {list(rotors)}")
    return tuple(  # type: ignore[return-value]
        transmission({rotor: 1.0, links[0]: -ratio, links[1]: -sign * ratio}, name=f"{rotor}_differential")
        for rotor, sign in zip(rotors, (1.0, -1.0), strict=True)
    )


def _ratio(value: float, what: str) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value) or value == 0:
        raise ModelError(f"the ratio of the {what} is {value!r}; expected a finite number that is not zero")
    return float(value)
