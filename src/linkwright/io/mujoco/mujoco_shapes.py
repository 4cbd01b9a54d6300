"""Geoms, contact pairs and the numbers of the soft law, from a compiled MuJoCo model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...algorithms.contact.watching import pairs_apart, watching
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
from ..meshes.convex_hull import hull_points
from .mujoco_blame import Blame
from .mujoco_names import Names
from .mujoco_refusals import is_disabled

_KINDS = {0: "plane", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box"}  # mjtGeom
_MESH = 7
_SIZES = {"convex": 0, "plane": 0, "sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}
_ENABLED = {"override": 1 << 0, "diagexact": 1 << 5, "ipc": 1 << 6, "speculative": 1 << 7}  # mjtEnableBit
_CONNECT, _WELD, _JOINT, _TENDON = range(4)  # mjtEq
_SITE = 6  # mjtObj
_MOST_COUNTED = 300  # geoms whose pairs are counted one by one


Unmodelled = list[tuple[str, str]]  # pairs of shapes that may touch and are not computed


def with_shapes(
    model: Model, source: Any, names: Names, blame: Blame, meshes: bool
) -> tuple[Model, list[str], Unmodelled]:
    """`model` with the shapes, pairs and law of `source`; warnings about what is not taken over; pairs that are not."""
    if is_disabled(source, "CONTACT") or is_disabled(source, "CONSTRAINT"):
        return replace(model, contact_law=_law(source, names, model)), [], []
    reading = _Reading(source, names, blame, meshes)
    model = replace(
        model, shapes=tuple(reading.shapes.values()), pairs=tuple(reading.pairs()),
        contact_law=_law(source, names, model),
    )  # fmt: skip
    return model, reading.warnings, reading.unmodelled


def watched(model: Model, unmodelled: Unmodelled) -> Model:
    """With bounds around pairs that may touch and are not computed."""
    if not unmodelled:
        return model
    apart = pairs_apart(model, unmodelled)
    told = (
        f"{len(unmodelled)} pairs of geoms besides those with planes may touch in MuJoCo; contact is not computed "
        f"unless asked for: robot.with_contacts(linkwright.contact(...)). Status 6 says where one of {len(apart)} of "
        f"them may have occurred" + ("" if len(apart) == len(unmodelled) else "; the others are as close as drawn")
    )
    return replace(watching(model, apart), warnings=(*model.warnings, told))


class _Reading:
    def __init__(self, source: Any, names: Names, blame: Blame, meshes: bool):
        self.source, self.warnings = source, []
        self.unmodelled: Unmodelled = []
        listed = {int(g) for array in (source.pair_geom1, source.pair_geom2) for g in array}
        self.shapes: dict[int, Shape] = {}
        taken: set[str] = set()
        for g in range(source.ngeom):
            if not (source.geom_contype[g] or source.geom_conaffinity[g] or g in listed):
                continue
            body = names.bodies[int(source.geom_bodyid[g])]
            name = source.geom(g).name or f"{body}/geom_{g}"
            while name in taken:
                name += "'"
            taken.add(name)
            kind = _KINDS.get(int(source.geom_type[g]))
            if meshes and int(source.geom_type[g]) == _MESH and int(source.geom_dataid[g]) >= 0:
                kind = "convex"
            if kind is None:
                told = f"geom {name!r} is a mesh, a height or distance field; it has no contact here"
                if int(source.geom_type[g]) == _MESH:
                    told = f"geom {name!r} is a mesh, which has no contact unless its hull is: load(..., meshes=True)"
                self.warnings.append(told)
                continue
            with blame.on("geom", name):
                self.shapes[g] = self._shape(g, kind, name, body)
        for flag, bit in _ENABLED.items():
            if source.opt.enableflags & bit:
                self.warnings.append(f"<flag {flag}> is left out; contacts are those of MuJoCo without it")
        if np.any(getattr(source, "pair_adhesion", 0.0)) or np.any(getattr(source, "geom_adhesion", 0.0)):
            self.warnings.append("adhesion of contacts is left out")

    def _shape(self, g: int, kind: str, name: str, body: str) -> Shape:
        source = self.source
        if not _is_in_range(source.geom_solref[g], source.geom_solimp[g]):
            self.warnings.append(
                f"geom {name!r} has solref or solimp out of their ranges; they are moved there before those of two "
                f"geoms are mixed, which MuJoCo does after"
            )
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
        size, points = tuple(source.geom_size[g][: _SIZES[kind]].tolist()), self._hull(g) if kind == "convex" else ()
        return Shape(name, kind, body, size, pose, surface, points, weight)

    def _tell_of_gap(self, what: str) -> None:
        self.warnings.append(f"{what} has a negative gap, which is left out; in MuJoCo contact begins that much later")

    def _hull(self, g: int) -> tuple[tuple[float, ...], ...]:
        mesh = int(self.source.geom_dataid[g])
        start = int(self.source.mesh_vertadr[mesh])
        vertices = np.array(self.source.mesh_vert[start : start + int(self.source.mesh_vertnum[mesh])], dtype=float)
        return tuple(map(tuple, hull_points(vertices)[0].tolist()))

    def pairs(self) -> list[ContactPair]:
        """Those that the file lists, and planes with whatever its masks let touch them."""
        source, found, not_computed = self.source, {}, []
        fixed = {g: int(source.body_weldid[int(source.geom_bodyid[g])]) for g in range(source.ngeom)}
        for k in range(source.npair):
            g1, g2 = int(source.pair_geom1[k]), int(source.pair_geom2[k])
            if g1 not in self.shapes or g2 not in self.shapes or fixed[g1] == fixed[g2]:
                continue
            if not is_computed(self.shapes[g1], self.shapes[g2]):
                not_computed.append((self.shapes[g1], self.shapes[g2]))
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
        self.unmodelled += [(one.name, two.name) for one, two in not_computed]
        if not_computed:
            one, two = not_computed[0]
            self.warnings.append(
                f"contact is listed and is not computed for {len(not_computed)} pairs of geoms, first of {one.kind} "
                f"{one.name!r} with {two.kind} {two.name!r}"
            )
        excluded = {(int(x) >> 16, int(x) & 0xFFFF) for x in source.exclude_signature}

        def may_touch(g1: int, g2: int) -> bool:
            bodies = tuple(sorted((int(source.geom_bodyid[g1]), int(source.geom_bodyid[g2]))))
            if frozenset((g1, g2)) in found or bodies in excluded or fixed[g1] == fixed[g2]:
                return False
            masks = self.shapes[g1].surface.may_touch(self.shapes[g2].surface)
            return masks and not self._is_parent(fixed[g1], fixed[g2])

        planes = [g for g, shape in self.shapes.items() if shape.kind == "plane"]
        others = [g for g in self.shapes if g not in set(planes)]
        for floor in planes:
            for g in others:
                if is_computed(self.shapes[g], self.shapes[floor]) and may_touch(floor, g):
                    found[frozenset((floor, g))] = ContactPair(*self._named(floor, g))
        if len(others) > _MOST_COUNTED:
            self.warnings.append(
                f"pairs of {len(others)} geoms besides those with planes may touch in MuJoCo; contact is not computed "
                f"unless asked for, robot.with_contacts(linkwright.contact(...)), and no status tells of it"
            )
            return list(found.values())
        self.unmodelled += [
            (self.shapes[g1].name, self.shapes[g2].name)
            for k, g1 in enumerate(others) for g2 in others[:k] if may_touch(g1, g2)
        ]  # fmt: skip
        return list(found.values())

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
