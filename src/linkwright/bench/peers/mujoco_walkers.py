"""A robot of ours on its ground in MuJoCo, many at once: same bodies, motors, shapes, pairs and time step."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence

import numpy as np

from ...errors import UnsupportedError
from ...io import MujocoCoordinates
from ...io.mjcf.mjcf_compiling import import_mujoco
from ...io.mjcf.mjcf_writer import mjcf_element
from ...model import Model
from ...model.contact import Shape

_WITH_SIZES = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "plane")
_FLOOR = (10.0, 10.0, 1.0)  # m, and how its grid is drawn: planes are infinite
_CONES = {"pyramidal": 0, "elliptic": 1}  # mjtCone


class MujocoWalkers:
    """`rollout` advances states, which are ours, on several threads; MuJoCo's solver and its tolerance, implicit in
    velocities as our dampers and servos are."""

    def __init__(self, robot: Model, dt: float, threads: int):
        mujoco = import_mujoco("comparing with MuJoCo")
        from mujoco.rollout import Rollout

        self.version, law = mujoco.__version__, robot.contact_law
        self._coordinates = MujocoCoordinates(robot)
        self.model = mujoco.MjModel.from_xml_string(ElementTree.tostring(_scene(robot), encoding="unicode"))
        self.model.opt.timestep, self.model.opt.integrator = dt, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self.model.opt.cone, self.model.opt.impratio = _CONES[law.cone], law.impratio
        self._data = [mujoco.MjData(self.model) for _ in range(threads)]
        self._pool = Rollout(nthread=threads)
        self._ctrl = int(mujoco.mjtState.mjSTATE_CTRL)
        self._size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)

    def states(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(B, n) of time, positions, velocities and activations, of our q (B, nq) and v (B, nv)."""
        state = np.zeros((len(q), self._size))
        nq, nv = self.model.nq, self.model.nv
        state[:, 1 : 1 + nq] = self._coordinates.to_qpos(q)
        state[:, 1 + nq : 1 + nq + nv] = self._coordinates.to_qvel(q, v)
        return state

    def warm(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """(B, nv) what solvers start from, of our accelerations."""
        return self._coordinates.to_qacc(q, v, a)

    def rollout(self, state: np.ndarray, warm: np.ndarray, ctrl: np.ndarray, steps: int) -> np.ndarray:
        """(B, steps, n) states after each step, commands (B, nu) held."""
        held = np.repeat(ctrl[:, None], steps, axis=1)
        path, _ = self._pool.rollout(
            self.model, self._data, state, held, nstep=steps, initial_warmstart=warm, control_spec=self._ctrl
        )
        return path

    def ours(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) of states."""
        nq, nv = self.model.nq, self.model.nv
        q = self._coordinates.from_qpos(state[:, 1 : 1 + nq])
        return q, self._coordinates.from_qvel(q, state[:, 1 + nq : 1 + nq + nv])

    def close(self) -> None:
        self._pool.close()


def _scene(robot: Model) -> ElementTree.Element:
    """As MJCF, with the shapes that touch and just the pairs that do."""
    root = mjcf_element(robot)
    world = root.find("worldbody")
    bodies = {element.get("name"): element for element in root.iter("body")}
    shapes = {shape.name: shape for shape in robot.shapes}
    touching = dict.fromkeys(name for pair in robot.pairs for name in (pair.first, pair.second))
    for name in touching:
        shape = shapes[name]
        body = robot.body_of(shape.on)
        element = bodies[robot.bodies[body].name] if body else world
        if shape.kind not in _WITH_SIZES or element is None:
            raise UnsupportedError(f"shape {name!r} ({shape.kind}) is not written for MuJoCo")
        ElementTree.SubElement(element, "geom", _geom(robot, shape))
    contact = ElementTree.SubElement(root, "contact")
    for pair in robot.pairs:
        one = pair.interaction(shapes[pair.first], shapes[pair.second])
        words = {
            "geom1": pair.first, "geom2": pair.second, "condim": str(one.condim), "friction": _text(one.friction),
            "solref": _text(one.softness.solref), "solimp": _text(one.softness.solimp), "margin": repr(one.margin),
        }  # fmt: skip
        ElementTree.SubElement(contact, "pair", words)
    return root


def _geom(robot: Model, shape: Shape) -> dict[str, str]:
    """Massless: bodies have their inertias; and touching by listed pairs alone."""
    frame = robot.frames.get(shape.on)
    pose = shape.placement if frame is None else frame.placement @ shape.placement
    return {
        "name": shape.name, "type": shape.kind, "size": _text(_FLOOR if shape.kind == "plane" else shape.size),
        "pos": _text(pose.translation), "quat": _text(np.roll(pose.quaternion, 1)), "mass": "0", "contype": "0",
        "conaffinity": "0",
    }  # fmt: skip


def _text(numbers: Sequence[float] | np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in numbers)
