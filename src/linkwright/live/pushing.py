"""Pulling at bodies while a simulation runs: by dragging them, or a handle at the body that was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import unknown_name
from ..model import Model
from ..printable import printable
from .live_scene import LiveScene

NOTHING = "nothing"
_STIFFNESS = 5.0  # of the spring between body and pointer: weights of the mechanism per its size
_STRONGEST = 2.0  # weights that it pulls with


@dataclass
class Pull:
    """From a point of a body, in its frame, towards a place in the world."""

    body: int
    point: np.ndarray
    to: np.ndarray


class Pushing:
    """`choice` is the drop-down of bodies, `pull` what is being pulled at, `forces(q)` what that exerts."""

    def __init__(self, server: Any, model: Model, scene: LiveScene):
        self._server, self._model, self._scene = server, model, scene
        self._weight = 9.81 * sum(body.inertia.mass for body in model.bodies[1:])
        self._bodies = {
            printable(body.name) if body.name != NOTHING else f"body {NOTHING}": i
            for i, body in enumerate(model.bodies[1:], start=1)
        }
        self.choice = server.gui.add_dropdown("push", (NOTHING, *self._bodies), initial_value=NOTHING)
        self.choice.on_update(self._chosen)
        self.handle: Any = None
        self._dragged: Pull | None = None
        self.q = model.drawn
        for node, body in scene.touchable:
            if hasattr(node, "on_drag"):  # viser 1.1 and later
                node.on_drag(self._follower(body))

    def _follower(self, body: int) -> Any:
        async def follow(event: Any) -> None:  # async: phases come in their order
            to = np.array(event.end_position)
            if event.phase == "end":
                self._dragged = None
            elif event.phase == "start" or self._dragged is None:
                R, p = self._scene.poses(self.q)
                self._dragged = Pull(body, R[body].T @ (np.array(event.start_position) - p[body]), to)
            else:
                self._dragged.to = to

        return follow

    def _chosen(self, event: Any) -> None:
        if event.client is not None:  # else it was this program that chose
            self.grab(self.choice.value)

    def grab(self, body: str) -> None:
        """A handle at a body's centre of mass; none for "nothing" and for what is no body."""
        if self.handle is not None:
            self.handle.remove()
            self.handle = None
        i = self._bodies.get(body)
        if i is not None:
            R, p = self._scene.poses(self.q)
            at = R[i] @ np.asarray(self._model.bodies[i].inertia.com) + p[i]
            self.handle = self._server.scene.add_transform_controls(
                "/handle", scale=0.3 * self._scene.drawn.size, position=at, disable_rotations=True
            )

    def towards(self, body: str, to: Any) -> None:
        """As choosing a body and dragging its handle does."""
        if printable(body) not in self._bodies:
            raise unknown_name("body", body, [body.name for body in self._model.bodies[1:]])
        self.grab(printable(body))
        self.choice.value = printable(body)
        self.handle.position = np.asarray(to, dtype=float)

    @property
    def pull(self) -> Pull | None:
        if self._dragged is not None:
            return self._dragged
        if self.handle is None or self.choice.value == NOTHING:
            return None
        body = self._bodies[self.choice.value]
        center = np.asarray(self._model.bodies[body].inertia.com)
        return Pull(body, center, np.asarray(self.handle.position))

    def forces(self, q: np.ndarray) -> np.ndarray:
        """(nbodies, 6) in the bodies' frames, and a line is drawn along the spring."""
        f_ext, pull = np.zeros((self._model.nbodies, 6)), self.pull
        if pull is None:
            self._scene.pulled(None)
            return f_ext
        R, p = (x[pull.body] for x in self._scene.poses(q))
        at = R @ pull.point + p
        self._scene.pulled(np.array([at, pull.to]))
        away = (pull.to - at) * (_STIFFNESS / self._scene.drawn.size)
        away *= min(1.0, _STRONGEST / max(float(np.linalg.norm(away)), 1e-9))
        force = R.T @ away * self._weight
        f_ext[pull.body] = [*force, *np.cross(pull.point, force)]
        return f_ext

    def remove(self) -> None:
        self.choice.remove()
        if self.handle is not None:
            self.handle.remove()
