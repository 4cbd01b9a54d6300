"""Geoms, contact pairs and the numbers of the soft law, from a compiled MuJoCo model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...model import Model, Pose
from ...model.contact import (
    ContactLaw,
    ContactPair,
    EqualitySoftness,
    JointSoftness,
    Shape,
    Softness,
    Surface,
    is_computed,
    ordered,
)
from ...model.contact.possible_pairs import MOST_SHAPES, ShapeNames, possible_pairs
from ...model.contact.shape import SIZES
from ..ignoring import Ignoring
from ..meshes.convex_hull import hull_points
from ..meshes.mesh_corners import corners_of
from .mujoco_blame import Blame
from .mujoco_names import Names
from .mujoco_refusals import is_disabled

_KINDS = {0: "plane", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box"}  # mjtGeom
_FIELD, _MESH, _DISTANCES = 1, 7, 8
_OF_MESHES = (_MESH, _DISTANCES)  # a distance field has a mesh around it
_OVERRIDE = 1 << 0  # mjtEnableBit
_CONNECT, _WELD, _JOINT, _TENDON = range(4)  # mjtEq
_SITE = 6  # mjtObj
Corners = tuple[tuple[float, ...], ...]

StandIn = tuple[str, tuple[Corners, float]]  # kind of shape; corners, and what is outside of their hull


def with_shapes(
    model: Model, source: Any, names: Names, blame: Blame, ignore: Ignoring, meshes: bool, stand_ins: Sequence[StandIn]
) -> Model:
    """`model` with the shapes, pairs and law of `source`; what is not taken over is noted in `ignore`."""
    if is_disabled(source, "CONTACT"):
        return replace(model, contact_law=_law(source, names, model))
    reading = _Reading(model, source, names, blame, ignore, meshes, stand_ins)
    model = replace(
        model, shapes=tuple(reading.shapes.values()), pairs=tuple(reading.pairs()),
        contact_law=_law(source, names, model),
    )  # fmt: skip
    for name, why in reading.unread.items():
        ignore.leave("contact", f"contact of geom {name!r}", f"{why}, and nothing tells where it touches")
    return reading.with_pairs_of_the_file(model)


class _Reading:
    def __init__(
        self, model: Model, source: Any, names: Names, blame: Blame, ignore: Ignoring, meshes: bool,
        stand_ins: Sequence[StandIn],
    ):  # fmt: skip
        self.source, self._ignore, self._stand_ins = source, ignore, stand_ins
        listed = {int(g) for array in (source.pair_geom1, source.pair_geom2) for g in array}
        self.shapes: dict[int, Shape] = {}
        self.unread: dict[str, str] = {}
        self._bodies: dict[int, int] = {}  # that geoms are fixed to; 0 is the ground, and mocap bodies
        taken: set[str] = set()
        for g in range(source.ngeom):
            if not (source.geom_contype[g] or source.geom_conaffinity[g] or g in listed):
                continue
            body = names.bodies[int(source.geom_bodyid[g])]
            name = source.geom(g).name or f"{body}/geom_{g}"
            while name in taken:
                name += "'"
            taken.add(name)
            self._bodies[g] = model.body_of(body)
            kind, points, slack = self._kind(g, meshes)
            if kind is None:
                self.unread[name] = "it is of a kind that is not understood, or made of nothing"
                continue
            with blame.on("geom", name):
                self.shapes[g] = self._shape(g, kind, points, slack, name, body)

    def _kind(self, g: int, meshes: bool) -> tuple[str | None, Corners, float]:
        """(Kind of shape, its corners, what is outside of their hull): meshes are watched unless their hulls are asked
        for."""
        source = self.source
        number = int(source.geom_user[g][0]) if self._stand_ins and source.nuser_geom else 0
        if number:
            kind_of, known = self._stand_ins[number - 1]
            return kind_of, *known
        kind, data = int(source.geom_type[g]), int(source.geom_dataid[g])
        if kind == _FIELD and data >= 0:
            x, y, up, down = (float(size) for size in source.hfield_size[data])
            box = [(i * x, j * y, z) for i in (-1.0, 1.0) for j in (-1.0, 1.0) for z in (-down, up)]
            return "height_field", *corners_of(np.array(box))
        if kind in _OF_MESHES and data >= 0:
            start = int(source.mesh_vertadr[data])
            vertices = np.array(source.mesh_vert[start : start + int(source.mesh_vertnum[data])], dtype=float)
            if meshes and kind == _MESH:
                return "convex", tuple(map(tuple, hull_points(vertices)[0].tolist())), 0.0
            return "mesh", *corners_of(vertices)
        return _KINDS.get(kind), (), 0.0

    def _shape(self, g: int, kind: str, points: Corners, slack: float, name: str, body: str) -> Shape:
        source = self.source
        if not _is_in_range(source.geom_solref[g], source.geom_solimp[g]):
            why = "they are out of their ranges, and moved there before those of two geoms are mixed, in MuJoCo after"
            self._ignore.leave("option", f"solref and solimp of geom {name!r} as written", why, about=(name,))
        if source.geom_gap[g] < 0.0:
            self._tell_of_gap(f"geom {name!r}")
        surface = Surface(
            tuple(source.geom_friction[g].tolist()), int(source.geom_condim[g]),
            Softness.clipped(source.geom_solref[g], source.geom_solimp[g]), float(source.geom_margin[g]),
            int(source.geom_priority[g]), float(source.geom_solmix[g]), int(source.geom_contype[g]),
            int(source.geom_conaffinity[g]),
        )  # fmt: skip
        pose = Pose.from_quaternion(source.geom_pos[g], np.roll(source.geom_quat[g], -1).tolist()).snapped()
        weight = float(source.body_invweight0[int(source.geom_bodyid[g]), 0])
        size = (slack,) if slack else tuple(source.geom_size[g][: SIZES[kind]].tolist())
        return Shape(name, kind, body, size, pose, surface, points, weight)

    def _tell_of_gap(self, what: str) -> None:
        self._ignore.leave("option", f"negative gap of {what}", "in MuJoCo contact begins that much later")

    def pairs(self) -> list[ContactPair]:
        """Those that the file lists, and planes with whatever its masks let touch them."""
        source, found = self.source, {}
        for g1, g2, k in self._listed():
            if not is_computed(self.shapes[g1], self.shapes[g2]):
                continue
            if source.pair_gap[k] < 0.0:
                self._tell_of_gap(f"the pair of {self.shapes[g1].name!r} and {self.shapes[g2].name!r}")
            own = np.any(source.pair_solreffriction[k])
            softness = Softness.clipped(source.pair_solref[k], source.pair_solimp[k])
            found[frozenset((g1, g2))] = ContactPair(
                *self._named(g1, g2), int(source.pair_dim[k]), tuple(source.pair_friction[k].tolist()), softness.solref,
                softness.solimp, tuple(source.pair_solreffriction[k].tolist()) if own else None,
                float(source.pair_margin[k]),
            )  # fmt: skip
        planes = [g for g, shape in self.shapes.items() if shape.kind == "plane"]
        for floor in planes:
            for g in (g for g in self.shapes if g not in planes):
                computed = is_computed(self.shapes[g], self.shapes[floor])
                if computed and frozenset((floor, g)) not in found and self._may_touch(floor, g):
                    found[frozenset((floor, g))] = ContactPair(*self._named(floor, g))
        return [self._overridden(pair) for pair in found.values()]

    def _overridden(self, pair: ContactPair) -> ContactPair:
        """With the parameters that <flag override> gives to all contacts."""
        option = self.source.opt
        if not option.enableflags & _OVERRIDE:
            return pair
        softness = Softness.clipped(option.o_solref, option.o_solimp)
        return replace(
            pair, friction=tuple(option.o_friction.tolist()), solref=softness.solref, solimp=softness.solimp,
            friction_solref=None, margin=float(option.o_margin),
        )  # fmt: skip

    def _listed(self) -> Iterator[tuple[int, int, int]]:
        """(geom, geom, number of the pair): what stands still touches nothing that does."""
        source = self.source
        for k in range(source.npair):
            g1, g2 = int(source.pair_geom1[k]), int(source.pair_geom2[k])
            if g1 in self.shapes and g2 in self.shapes and self._bodies[g1] != self._bodies[g2]:
                yield g1, g2, k

    def _may_touch(self, g1: int, g2: int) -> bool:
        """By what MuJoCo goes by where no pair is listed."""
        source = self.source
        own = [int(source.geom_bodyid[g]) for g in (g1, g2)]
        if self._bodies[g1] == self._bodies[g2] or (min(own), max(own)) in self._excluded:
            return False
        masks = self.shapes[g1].surface.may_touch(self.shapes[g2].surface)
        return masks and not self._is_parent(*(int(source.body_weldid[body]) for body in own))

    @cached_property
    def _excluded(self) -> set[tuple[int, int]]:
        found = ((int(x) >> 16, int(x) & 0xFFFF) for x in self.source.exclude_signature)
        return {(min(one, two), max(one, two)) for one, two in found}

    def with_pairs_of_the_file(self, model: Model) -> Model:
        """With the pairs in which the file differs from what masks and neighbours say."""
        names = {g: shape.name for g, shape in self.shapes.items()}
        number = {name: g for g, name in names.items()}
        listed = {frozenset((names[g1], names[g2])) for g1, g2, _ in self._listed()}
        usual = {frozenset(pair) for pair in possible_pairs(model)}
        excluded = [pair for pair in usual - listed if not self._may_touch(*(number[name] for name in pair))]
        if len(names) <= MOST_SHAPES:
            planes = {name for name in number if self.shapes[number[name]].kind == "plane"}
            computed = {frozenset((pair.first, pair.second)) for pair in model.pairs}
            others = (
                frozenset((one, two)) for k, one in enumerate(number) for two in list(number)[:k]
                if not {one, two} <= planes and frozenset((one, two)) not in usual | computed
            )  # fmt: skip
            listed |= {pair for pair in others if self._may_touch(*(number[name] for name in pair))}
        law = replace(model.contact_law, excluded=_in_order(excluded), listed=_in_order(listed))
        return replace(model, contact_law=law)

    def _named(self, g1: int, g2: int) -> tuple[str, str]:
        """(first, second): the normal leads from MuJoCo's first geom to its second, and here from second to first."""
        first, second = ordered(self.shapes[max(g1, g2)], self.shapes[min(g1, g2)])
        return first.name, second.name

    def _is_parent(self, one: int, two: int) -> bool:
        """Whether MuJoCo leaves a pair out as neighbours; of the ground nothing is."""
        source = self.source
        above = [int(source.body_weldid[int(source.body_parentid[body])]) for body in (one, two)]
        near = one and two and (above[0] == two or above[1] == one)
        return bool(near) and not is_disabled(source, "FILTERPARENT")


def _in_order(pairs: Iterable[frozenset[str]]) -> tuple[ShapeNames, ...]:
    return tuple(sorted((min(pair), max(pair)) for pair in pairs))


def _is_in_range(solref: Any, solimp: Any) -> bool:
    start, end, width, middle, power = (float(x) for x in solimp)
    inside = all(0.0 <= x <= 1.0 for x in (start, end, middle)) and width >= 0.0 and power >= 1.0
    return inside and (float(solref[0]) > 0.0) == (float(solref[1]) > 0.0)


def _law(source: Any, names: Names, model: Model) -> ContactLaw:
    joints = {}
    for j, name in enumerate(names.joints):
        dofs = slice(int(source.jnt_dofadr[j]), int(source.jnt_dofadr[j]) + (6, 3, 1, 1)[int(source.jnt_type[j])])
        if source.jnt_limited[j] or np.any(source.dof_frictionloss[dofs]):
            joints[name] = JointSoftness(
                Softness.clipped(source.jnt_solref[j], source.jnt_solimp[j]), float(source.jnt_margin[j]),
                Softness.clipped(source.dof_solref[dofs.start], source.dof_solimp[dofs.start]),
                tuple(source.dof_invweight0[dofs].tolist()),
            )  # fmt: skip
    tendons = {
        name: JointSoftness(
            Softness.clipped(source.tendon_solref_lim[t], source.tendon_solimp_lim[t]), float(source.tendon_margin[t]),
            Softness.clipped(source.tendon_solref_fri[t], source.tendon_solimp_fri[t]),
            (float(source.tendon_invweight0[t]),),
        )
        for t, name in enumerate(names.tendons)
        if source.tendon_limited[t] or source.tendon_frictionloss[t]
    }
    made = {c.name for c in model.constraints}
    equalities = {
        name: EqualitySoftness(
            Softness.clipped(source.eq_solref[e], source.eq_solimp[e]), _equality_weight(source, e),
            float(source.eq_data[e][10]) if int(source.eq_type[e]) == _WELD else 1.0,
        )
        for e, name in enumerate(names.equalities)
        if name in made
    }  # fmt: skip
    return ContactLaw(
        "elliptic" if int(source.opt.cone) == 1 else "pyramidal", float(source.opt.impratio),
        not is_disabled(source, "REFSAFE"), joints, equalities, tendons=tendons,
    )  # fmt: skip


def _equality_weight(source: Any, e: int) -> tuple[float, ...]:
    """Of translations, then rotations; of joints and tendons the one there is."""
    kind = int(source.eq_type[e])
    objects = [int(source.eq_obj1id[e]), int(source.eq_obj2id[e])]
    if kind in (_CONNECT, _WELD):
        if int(source.eq_objtype[e]) == _SITE:
            objects = [int(source.site_bodyid[o]) for o in objects]
        return tuple(float(sum(source.body_invweight0[o, k] for o in objects)) for k in range(2))
    if kind == _JOINT:
        return (float(sum(source.dof_invweight0[int(source.jnt_dofadr[o])] for o in objects if o >= 0)),)
    return (float(sum(source.tendon_invweight0[o] for o in objects if o >= 0)),)
