"""MuJoCo's equalities as constraints, from the numbers that its compiler computed."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ...model import ModelBuilder, Pose
from ...model import constraints as making
from ...model.constraints import Constraint, Coupling
from ..ignoring import Ignoring, advice
from .mujoco_blame import Blame
from .mujoco_names import Names
from .mujoco_refusals import is_disabled

_CONNECT, _WELD, _JOINT, _TENDON = range(4)  # mjtEq
_TAGS = {_CONNECT: "connect", _WELD: "weld", _JOINT: "joint", _TENDON: "tendon"}
_SITE = 6  # mjtObj
_WRAP_JOINT, _WRAP_SITE = 1, 3  # mjtWrap


def constraints_of(
    source: Any, names: Names, builder: ModelBuilder, blame: Blame, inactive: bool, ignore: Ignoring
) -> tuple[list[Constraint], list[str]]:
    """The constraints, and warnings about those that were left out. Adds the frames that they need."""
    constraints, warnings = [], []
    for e, name in enumerate(names.equalities):
        tag = _TAGS.get(int(source.eq_type[e]))
        off = not source.eq_active0[e] or is_disabled(source, "EQUALITY")
        if off and not inactive:
            warnings.append(f"equality {name!r} is not active in the file and is left out")
            continue
        try:
            if tag is None:
                raise _NotUnderstood("is of a kind that is not understood")
            with blame.on(f"equality {tag}", name):
                made = _Equality(source, names, builder, e, tag).constraint()
        except _NotUnderstood as problem:
            what = "equality" if tag is None else f"equality {tag}"
            if ignore.takes("equality", f"{what} {name!r} {problem}"):
                continue
            raise blame.error(what, name, f"{problem}{advice('equality')}") from None
        if made is None:
            warnings.append(f"equality {name!r} is between things that do not move; it is left out")
        else:
            constraints.append(made)
    return constraints, warnings


class _NotUnderstood(Exception):
    """Says why, after the equality's name."""


class _Equality:
    def __init__(self, source: Any, names: Names, builder: ModelBuilder, e: int, tag: str):
        self.source, self.names, self.builder = source, names, builder
        self.tag, self.name, self.data = tag, names.equalities[e], np.array(source.eq_data[e])
        self.first, self.second = int(source.eq_obj1id[e]), int(source.eq_obj2id[e])
        self.of_sites = int(source.eq_objtype[e]) == _SITE

    def constraint(self) -> Constraint | None:
        if self.tag == "joint":
            first = cast(str, self._joint_name(self.first))  # only the second may be left out
            return self._coupled(first, self._joint_name(self.second))
        if self.tag == "tendon":
            return self._tendons()
        # without its torques (torquescale="0") a weld holds points only
        held_as_points = self.tag == "connect" or not self.data[10]
        frames = self._site_frames() if self.of_sites else self._body_frames(held_as_points)
        bodies = [self.builder.body_of(frame) for frame in frames]
        if bodies[0] == bodies[1]:
            return None
        if bodies[0] == 0:  # the first frame is to be one that moves
            frames = frames[::-1]
        return (making.connect if held_as_points else making.weld)(*frames, name=self.name)

    def _site_frames(self) -> list[str]:
        return [self.names.sites[self.first], self.names.sites[self.second]]

    def _body_frames(self, held_as_points: bool) -> list[str]:
        """connect: a point on each body. weld: a pose on the first, where the point on the second is to be."""
        data = self.data
        if self.tag == "connect":
            poses = [Pose.of(data[:3]), Pose.of(data[3:6])]
        else:
            poses = [Pose.from_quaternion(data[3:6], np.roll(data[6:10], -1)), Pose.of(data[:3])]
        return [
            self.builder.add_frame(f"{self.name}/{k}", self.names.bodies[body], pose)
            for k, body, pose in ((1, self.first, poses[0]), (2, self.second, poses[1]))
        ]

    def _joint_name(self, j: int) -> str | None:
        return None if j < 0 else self.names.joints[j]

    def _coupled(self, joint1: str, joint2: str | None) -> Constraint:
        """y - y0 = P(x - x0), where 0 is the as-drawn pose."""
        polynomial = _shifted(self.data[:5], self._drawn(self.second)) if joint2 else self.data[:1].copy()
        polynomial[0] += self._drawn(self.first)
        return making.couple(joint1, joint2, polynomial, name=self.name)

    def _drawn(self, joint: int) -> float:
        return float(self.source.qpos0[self.source.jnt_qposadr[joint]])

    def _tendons(self) -> Constraint:
        """The same of lengths; those of fixed tendons are sums of coordinates."""
        if self.second < 0 and not self._is_fixed(self.first):
            return self._rod()
        lengths = [self._length(t) for t in (self.first, self.second) if t >= 0]
        (weights, start), data = lengths[0], self.data
        if len(lengths) == 1:
            return making.transmission(weights, start + float(data[0]), name=self.name)
        others, other_start = lengths[1]
        if not data[2:5].any():
            total = dict(weights)
            for joint, weight in others.items():
                total[joint] = total.get(joint, 0.0) - float(data[1]) * weight
            return making.transmission(total, start + float(data[0]) - float(data[1]) * other_start, name=self.name)
        if len(weights) == len(others) == 1:
            # c1 q1 = start + P(c2 q2 - other_start), with q1 and q2 the only coordinates
            ((joint1, c1),), ((joint2, c2),) = weights.items(), others.items()
            polynomial = -_shifted(data[:5], other_start) * c2 ** np.arange(5)
            polynomial[0] -= start
            if joint1 == joint2:
                polynomial[1] += c1
                return Coupling(name=self.name, terms=((joint1, tuple(polynomial)),))
            return Coupling(name=self.name, terms=((joint1, (0.0, c1)), (joint2, tuple(polynomial))))
        raise _NotUnderstood(
            "relates two tendons of several joints by a polynomial of degree 2 or more; only linear relations of such "
            "tendons are understood"
        )

    def _is_fixed(self, tendon: int) -> bool:
        return int(self.source.wrap_type[int(self.source.tendon_adr[tendon])]) == _WRAP_JOINT

    def _rod(self) -> Constraint:
        """A spatial tendon of constant length, straight from one site to another."""
        source, t = self.source, self.first
        wraps = range(int(source.tendon_adr[t]), int(source.tendon_adr[t]) + int(source.tendon_num[t]))
        if [int(source.wrap_type[w]) for w in wraps] != [_WRAP_SITE, _WRAP_SITE]:
            name = self.names.tendons[t]
            raise _NotUnderstood(
                f"acts on {name!r}; only fixed tendons and straight ones between two sites are understood"
            )
        ends = [self.names.sites[int(source.wrap_objid[w])] for w in wraps]
        if self.builder.body_of(ends[0]) == 0:
            ends.reverse()
        length = float(source.tendon_length0[t]) + float(self.data[0])
        return making.rod(*ends, length=length, name=self.name)

    def _length(self, tendon: int) -> tuple[dict[str, float], float]:
        """What a fixed tendon adds up, and its length as drawn."""
        source = self.source
        first, count = int(source.tendon_adr[tendon]), int(source.tendon_num[tendon])
        weights: dict[str, float] = {}
        for w in range(first, first + count):
            if int(source.wrap_type[w]) != _WRAP_JOINT:
                name = self.names.tendons[tendon]
                raise _NotUnderstood(f"acts on {name!r}, a spatial tendon; only fixed ones are understood")
            joint = self.names.joints[int(source.wrap_objid[w])]
            weights[joint] = weights.get(joint, 0.0) + float(source.wrap_prm[w])
        return weights, float(source.tendon_length0[tendon])


def _shifted(coefficients: np.ndarray, by: float) -> np.ndarray:
    """The coefficients of P(x - by) for those of P(x), lowest first."""
    result = np.zeros(len(coefficients))
    for coefficient in coefficients[::-1]:  # Horner's scheme with x - by
        result = np.append(0.0, result[:-1]) - by * result
        result[0] += coefficient
    return result
