"""Names for everything in a MuJoCo model. Its kinds of things have names of their own, and may have none."""

from __future__ import annotations

from typing import Any

from ...model import GROUND


class Names:
    """bodies[i], joints[j], sites[k], equalities[e], keys[k], tendons[t], actuators[a]; bodies and sites differ."""

    def __init__(self, source: Any):
        self.model = _text(source.names, 0) or "robot"
        self.taken: set[str] = {GROUND}
        self.bodies = [GROUND]
        for i in range(1, source.nbody):
            self.bodies.append(self._new(source.body(i).name, f"body_{i}"))
        self.sites = [self._new(source.site(i).name, f"site_{i}", "site/") for i in range(source.nsite)]
        self.joints = _unique(source.joint(i).name or f"joint_{i}" for i in range(source.njnt))
        self.equalities = _unique(source.equality(i).name or f"equality_{i}" for i in range(source.neq))
        self.tendons = [source.tendon(i).name or f"tendon_{i}" for i in range(source.ntendon)]
        self.keys = _unique(source.key(i).name or f"key_{i}" for i in range(source.nkey))
        count = getattr(source, "nactuator", source.nu)
        self.actuators = _unique(source.actuator(k).name or f"actuator_{k}" for k in range(count))
        self.motors = self._motors(source)

    def _new(self, name: str, otherwise: str, prefix: str = "") -> str:
        name = name or otherwise
        if name in self.taken:
            name = prefix + name
        while name in self.taken:
            name += "'"
        self.taken.add(name)
        return name

    def _motors(self, source: Any) -> tuple[str, ...]:
        driven = []
        for k in range(len(self.actuators)):
            if int(source.actuator_trntype[k]) in (0, 1):  # mjTRN_JOINT, mjTRN_JOINTINPARENT
                driven.append(self.joints[int(source.actuator_trnid[k][0])])
        return tuple(dict.fromkeys(driven))


def _unique(names) -> list[str]:
    taken: dict[str, None] = {}
    for name in names:
        while name in taken:
            name += "'"
        taken[name] = None
    return list(taken)


def _text(names: bytes, start: int) -> str:
    end = names.find(b"\0", start)
    return names[start:end].decode("utf-8", "replace")
