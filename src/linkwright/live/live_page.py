"""`linkwright view`: sliders that drag loops along, and a simulation that runs while one watches and pushes."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..assembly import project_configuration
from ..compilation import compile
from ..errors import InputError, LinkwrightError, MissingExtraError
from ..io import load
from ..model import Model
from ..robots import robots as known_robots
from ..sim import Simulator
from .live_scene import LiveScene

FRAME = 1.0 / 30.0  # seconds between pictures
MOST_SLIDERS = 40
MOST_MISSING = 5  # meshes that are listed
REACH = np.pi  # of a slider whose joint has no limits
_STIFFNESS = 5.0  # of the spring between body and handle: weights of the mechanism per its size
_STRONGEST = 2.0  # weights that it pulls with
_HELD = 15.0  # rad/s: how fast sliders pull their joints, on the inertia these move
_TOGETHER = 8  # steps with the same torques


class LivePage:
    """A page at `url` with one robot; what is shown is `q`. `close` ends it.

    robot   a model, a name of the catalogue, or a file
    port    the first free one from here on
    """

    def __init__(self, robot: Model | str | Path, *, port: int = 8080, host: str = "127.0.0.1"):
        try:
            import viser
        except ImportError:
            raise MissingExtraError("viser", "view", "the live page") from None
        if not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 65536:
            raise InputError(f"port is {port!r}; expected a number from 1 to 65535")
        model = robot if isinstance(robot, Model) else load(robot)
        try:
            self.server = viser.ViserServer(host=host, port=port, label=f"{model.name} - Linkwright", verbose=False)
        except OSError as error:
            raise InputError(f"port {port} of {host} cannot be used: {error.strerror or error}") from None
        self.url = f"http://{host}:{self.server.get_port()}"
        self._lock, self._ended = threading.RLock(), threading.Event()
        self._playing, self._speed = False, 1.0
        self.problem = ""
        """What went wrong last, as the page says it."""
        self.server.scene.set_up_direction("+z")
        self._controls: list[Any] = []
        self._show(model)
        self.server.on_client_connect(self._look)
        self._thread = threading.Thread(target=self._run, name="linkwright-live", daemon=True)
        self._thread.start()

    # --- the robot

    def _show(self, model: Model) -> None:
        """Draw a robot and the controls that go with it."""
        self.model, self._playing = model, False
        self.q = _drawn(model)
        self._simulator: Simulator | None = None
        self.scene = LiveScene(self.server, model, self.q)
        self._weight = 9.81 * sum(body.inertia.mass for body in model.bodies[1:])
        self._inertia = _moved_inertias(model, self.q)
        for control in self._controls:
            control.remove()
        self._controls = []
        self._make_controls()

    def _make_controls(self) -> None:
        gui, model = self.server.gui, self.model
        names = sorted({model.name, *(robot.name for robot in known_robots())})
        self._choice = gui.add_dropdown("robot", names, initial_value=model.name)
        self._choice.on_update(lambda _: self._change_robot(self._choice.value))
        self._message = gui.add_markdown(self._about())
        self.play_button, self._reset = gui.add_button("play / pause"), gui.add_button("start again")
        self.play_button.on_click(lambda _: self.play(not self._playing))
        self._reset.on_click(lambda _: self.reset())
        speed = gui.add_slider("speed", 0.1, 2.0, 0.1, 1.0)
        speed.on_update(lambda _: setattr(self, "_speed", float(speed.value)))
        bodies = (body.name for body in model.bodies[1:])
        self._pushed = gui.add_dropdown("push", ("nothing", *bodies), initial_value="nothing")
        self._pushed.on_update(self._chosen_to_push)
        self._handle: Any = None
        self._controls += [self._choice, self._message, self.play_button, self._reset, speed, self._pushed]
        self._hold = gui.add_checkbox("sliders hold joints", True)
        self._controls.append(self._hold)
        for part, on in self.scene.parts.items():
            box = gui.add_checkbox(part, on)
            box.on_update(lambda event, part=part: self.scene.show(part, event.target.value))
            self._controls.append(box)
        folder = gui.add_folder("joints")
        self._controls.append(folder)
        self.sliders: dict[str, Any] = {}
        with folder:
            for name in _sliding(model)[:MOST_SLIDERS]:
                at = model.iq[model.joint_index(name)].start
                low, high = _range(model, name, float(self.q[at]))
                slider = gui.add_slider(name, low, high, (high - low) / 1000, float(np.clip(self.q[at], low, high)))
                slider.on_update(lambda event, name=name: self._slid(event, name))
                self.sliders[name] = slider

    def _change_robot(self, name: str) -> None:
        try:
            with self._lock:
                self._show(load(name))
            for client in self.server.get_clients().values():
                self._look(client)
        except LinkwrightError as error:
            self._say(str(error))

    def _say(self, text: str) -> None:
        self.problem = text
        self._message.content = text or self._about()

    def _about(self) -> str:
        """The robot, and which of its meshes are drawn as shapes."""
        missing = self.scene.drawn.missing
        return "\n\n".join([str(self.model), *(["drawn as shapes:"] if missing else []), *missing[:MOST_MISSING]])

    def _look(self, client: Any) -> None:
        """The camera of somebody who has just opened the page."""
        middle = self.scene.poses(self.q)[1].mean(axis=0)
        client.camera.position = middle + self.scene.drawn.size * np.array([1.2, -1.8, 0.9])
        client.camera.look_at = middle

    # --- posing

    def _slid(self, event: Any, name: str) -> None:
        if event.client is not None and not self._playing:  # else it was this program that moved the slider
            self.pose(name, float(event.target.value))

    @property
    def holds(self) -> bool:
        """Whether sliders say where joints are to be while the simulation runs, rather than where they are."""
        return self._playing and bool(self._hold.value)

    def _set(self, q: np.ndarray) -> None:
        """Draw a pose, sliders included."""
        self.q = q
        self.scene.move(q)
        for name, slider in self.sliders.items() if not self.holds else ():
            slider.value = float(np.clip(q[self.model.iq[self.model.joint_index(name)].start], slider.min, slider.max))

    def pose(self, joint: str, value: float) -> None:
        """Put one joint somewhere; loops follow from where they are, as far as they can."""
        with self._lock:
            q = self.q.copy()
            q[self.model.iq[self.model.joint_index(joint)].start] = value
            try:
                if self.model.constraints:
                    q = project_configuration(self.model, q, fixed=joint, start=self.q)
            except LinkwrightError as error:  # out of reach: it stays where it was
                self._say(f"{joint} cannot be at {value:.3f}: {str(error).splitlines()[0]}")
                return
            self._say("")
            self._simulator = None
            self._set(q)

    # --- simulating

    def play(self, on: bool = True) -> None:
        with self._lock:
            if on and self._simulator is None:
                seen = ("contact_force", "contact_point", "contact_frame") if self.model.pairs else ()
                try:
                    self._simulator = Simulator(self.model, f_ext=np.zeros((self.model.nbodies, 6)), outputs=seen)
                    self._simulator.reset(self.q, start="as given")
                except LinkwrightError as error:
                    self._say(str(error))
                    return
            self._playing = on

    def reset(self) -> None:
        """Back to the drawn pose, at rest."""
        with self._lock:
            self._playing, self._simulator = False, None
            self._set(_drawn(self.model))
            self._say("")

    def _chosen_to_push(self, event: Any) -> None:
        if event.client is not None:  # else it was this program that chose
            self._grab(self._pushed.value)

    def _grab(self, body: str) -> None:
        """A handle at a body: a spring pulls its centre of mass there while the simulation runs."""
        with self._lock:
            if self._handle is not None:
                self._handle.remove()
                self._handle = None
            if body != "nothing":
                at = self._center(body)[0]
                size = 0.3 * self.scene.drawn.size
                self._handle = self.server.scene.add_transform_controls(
                    "/handle", scale=size, position=at, disable_rotations=True
                )

    def push(self, body: str, to: np.ndarray) -> None:
        """Pull a body towards a place in the world, as dragging its handle does."""
        self._grab(body)
        self._pushed.value = body
        self._handle.position = np.asarray(to, dtype=float)

    def _force(self) -> np.ndarray:
        f_ext = np.zeros((self.model.nbodies, 6))
        if self._handle is not None and self._pushed.value != "nothing":
            at, R, center = self._center(self._pushed.value)
            away = (np.asarray(self._handle.position) - at) * (_STIFFNESS / self.scene.drawn.size)
            away *= min(1.0, _STRONGEST / max(float(np.linalg.norm(away)), 1e-9))
            force = R.T @ away * self._weight
            f_ext[self.model.body_of(self._pushed.value)] = [*force, *np.cross(center, force)]
        return f_ext

    def _center(self, body: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(centre of mass in the world, rotation, centre of mass in its frame) of a body."""
        i = self.model.body_of(body)
        R, p = self.scene.poses(self.q)
        center = np.asarray(self.model.bodies[i].inertia.com)
        return R[i] @ center + p[i], R[i], center

    def _torque(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Of sliders that hold their joints: critically damped."""
        tau = np.zeros(self.model.nv)
        for name, slider in self.sliders.items() if self.holds else ():
            i = self.model.joint_index(name)
            k, at = self.model.iv[i].start, self.model.iq[i].start
            tau[k] = self._inertia[k] * (_HELD**2 * (float(slider.value) - q[at]) - 2 * _HELD * v[k])
        return tau

    def _run(self) -> None:
        while not self._ended.wait(FRAME):
            with self._lock:
                if self._playing and self._simulator is not None:
                    self._advance(self._simulator)

    def _advance(self, simulator: Simulator) -> None:
        begin, steps = time.perf_counter(), max(1, round(FRAME * self._speed / simulator.dt))
        simulator.f_ext[...] = self._force()  # type: ignore[index]  # they were given
        done = 0
        while done < steps and time.perf_counter() - begin < FRAME:  # slower than the clock rather than late
            n = min(steps - done, _TOGETHER)
            simulator.step(self._torque(simulator.q, simulator.v), n=n)
            done += n
        if not np.isfinite(simulator.q).all():
            self._playing, self._simulator = False, None
            self._say("the state is no longer finite; start again")
            return
        self._set(simulator.q.copy())
        if self.model.pairs:
            force, point, frame = (simulator[name] for name in ("contact_force", "contact_point", "contact_frame"))
            vectors = np.einsum("kij,ki->kj", frame, force[:, :3])
            self.scene.forces(np.nan_to_num(point), vectors, 0.5 * self.scene.drawn.size / max(self._weight, 1e-9))

    def close(self) -> None:
        self._ended.set()
        self._thread.join(timeout=5.0)
        self.server.stop()


def _drawn(model: Model) -> np.ndarray:
    """The configuration a model is drawn in, its loops closed."""
    return project_configuration(model, model.reference) if model.constraints else model.reference.copy()


def _moved_inertias(model: Model, q: np.ndarray) -> np.ndarray:
    """(nv,) torque over acceleration of each velocity alone, loops included."""
    dynamics, rest = compile(model, "forward_dynamics", outputs="a"), np.zeros(model.nv)
    pushed = dynamics(np.tile(q, (model.nv, 1)), np.zeros((model.nv, model.nv)), np.eye(model.nv))
    return 1.0 / np.maximum(np.diag(pushed - dynamics(q, rest, rest)), 1e-6)


def _sliding(model: Model) -> list[str]:
    """Joints with a slider: the motors, else those that move by one number."""
    single = [joint.name for joint in model.joints if joint.nq == joint.nv == 1]
    return [name for name in model.motors if name in single] or single


def _range(model: Model, name: str, now: float) -> tuple[float, float]:
    joint = model.joints[model.joint_index(name) - 1]
    low, high = float(joint.lower[0]), float(joint.upper[0])
    return (low if np.isfinite(low) else now - REACH), (high if np.isfinite(high) else now + REACH)


def view(robot: Model | str | Path, *, port: int = 8080) -> None:
    """Serve a robot's live page until Ctrl-C."""
    page = LivePage(robot, port=port)
    print(f"{page.model.name}: {page.url} (Ctrl-C ends it)")
    try:
        while True:
            time.sleep(1.0)
    except KeyboardInterrupt:
        page.close()
