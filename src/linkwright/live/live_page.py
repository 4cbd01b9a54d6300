"""`linkwright view`: sliders that drag loops along, and a simulation that runs while one watches and pushes."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..assembly import project_configuration
from ..call_errors import names_arguments
from ..compilation import compile
from ..errors import InputError, LinkwrightError, MissingExtraError
from ..io import load
from ..model import Model
from ..model.not_computed import named
from ..printable import printable
from ..robots import robots as known_robots
from ..sim import Simulator
from ..sim.exercise import first_pose, floating_bases
from .history import History
from .live_scene import LiveScene
from .page_guard import PageGuard, check_host
from .page_text import in_markdown
from .pushing import Pushing

FRAME = 1.0 / 30.0  # seconds between pictures
MOST_SLIDERS = 40
MOST_MISSING = 5  # meshes that are listed
_HELD = 15.0  # rad/s: how fast sliders pull their joints, on the inertia these move


@names_arguments
class LivePage:
    """A page at `url` with one robot; what is shown is `q`. `close` ends it.

    robot   a model, a name of the catalogue, or a file
    port    the first free one from here on
    host    the address of this machine that listens, by default one that only this machine reaches

    Whoever has `url`, which ends in a token, may look and move; nobody else is served (docs/viewer.md).
    """

    def __init__(self, robot: Model | str | Path, *, port: int = 8080, host: str = "127.0.0.1"):
        try:
            import viser
        except ImportError:
            raise MissingExtraError("viser", "view", "the live page") from None
        if not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 65536:
            raise InputError(f"port is {port!r}; expected a number from 1 to 65535")
        check_host(host)
        model = robot if isinstance(robot, Model) else load(robot)
        guard = PageGuard(host)
        with guard.installed():
            label = f"{printable(model.name)} - Linkwright"
            self.server: Any = viser.ViserServer(host=host, port=port, label=label, verbose=False)
        try:
            guard.check_installed(self.server.get_port())
        except LinkwrightError:
            self.server.stop()
            raise
        self.url = guard.url(self.server.get_port())
        self._lock, self._ended = threading.RLock(), threading.Event()
        self._playing, self._speed = False, 1.0
        self.problem = ""
        """What went wrong last, as the page says it."""
        self.server.scene.set_up_direction("+z")
        self._controls: list[Any] = []
        self._given = model  # which may be of a file that the catalogue does not know
        self._chosen = printable(model.name)
        self._robots: dict[str, Any] = {robot.name: robot for robot in known_robots()} | {self._chosen: model}
        """What can be chosen, by the names that are offered."""
        self._show(model)
        guard.server = self.server
        self.server.on_client_connect(self._look)
        self._thread = threading.Thread(target=self._run, name="linkwright-live", daemon=True)
        self._thread.start()

    # --- the robot

    def _show(self, model: Model) -> None:
        """Draw a robot and the controls that go with it."""
        self.model, self._playing = model, False
        self.q = _drawn(model)
        self._simulator: Simulator | None = None
        self.history, self._looking_back = History(), False
        self.scene = LiveScene(self.server, model, self.q)
        self._weight = 9.81 * sum(body.inertia.mass for body in model.bodies[1:])
        self._inertia = _moved_inertias(model, self.q)
        # a robot that floats and touches nothing would fall out of sight: it is held where it is
        self._bases = [] if model.pairs else [model.iv[i] for i in floating_bases(model)]
        self._weight_torques = compile(model.without_constraints(), "gravity_torques")
        self._hung_at = self.q
        for control in self._controls:
            control.remove()
        self._controls = []
        self._make_controls()

    def _make_controls(self) -> None:
        gui, model = self.server.gui, self.model
        self._choice = choice = gui.add_dropdown("robot", sorted(self._robots), initial_value=self._chosen)
        choice.on_update(lambda _: self._change_robot(choice.value))
        self._message = gui.add_markdown(self._about())
        self.play_button, self._reset = gui.add_button("play / pause"), gui.add_button("start again")
        self.play_button.on_click(lambda _: self.play(not self._playing))
        self._reset.on_click(lambda _: self.reset())
        speed = gui.add_slider("speed", 0.1, 2.0, 0.1, 1.0)
        speed.on_update(lambda _: setattr(self, "_speed", float(speed.value)))
        self.time = gui.add_slider("time", 0.0, 1.0, FRAME, 0.0, disabled=True)
        self.time.on_update(self._scrubbed)
        self._pushing = Pushing(self.server, model, self.scene)
        self._controls += [
            self._choice, self._message, self.play_button, self._reset, speed, self.time, self._pushing,
        ]  # fmt: skip
        self._hold = gui.add_checkbox("sliders hold joints", True)
        self._controls.append(self._hold)
        for part, on in self.scene.parts.items():
            box = gui.add_checkbox(part, on)
            box.on_update(lambda event, part=part: self.scene.show(part, event.target.value))
            self._controls.append(box)
        self.sliders: dict[str, Any] = {}
        motors, others = _sliding(model)
        self._held = frozenset(motors or others)  # what sliders hold in a simulation: motors, where there are some
        left = MOST_SLIDERS
        for title, names in (("motors", motors), ("joints", others)):
            if names[:left]:
                self._controls.append(folder := gui.add_folder(title))
                with folder:
                    for name in names[:left]:
                        self._add_slider(name)
            left = max(0, left - len(names))

    def _add_slider(self, name: str) -> None:
        at = self.model.iq[self.model.joint_index(name)].start
        low, high = _range(self.model, name, float(self.q[at]), self.scene.drawn.size)
        now = float(np.clip(self.q[at], low, high))
        slider = self.server.gui.add_slider(printable(name), low, high, (high - low) / 1000, now)
        slider.on_update(lambda event: self._slid(event, name))
        self.sliders[name] = slider

    def _change_robot(self, name: str) -> None:
        """One of the names that are offered; a page says nothing that is looked for among files."""
        chosen = self._robots.get(name)
        if chosen is None:
            self._say("that robot is none of those that are offered")
            return
        try:
            with self._lock:
                model = load(chosen)
                self._chosen = name
                self._show(model)
                self._say("")
            for client in self.server.get_clients().values():
                self._look(client)
        except LinkwrightError as error:
            self._say(str(error))

    def _say(self, text: str) -> None:
        self.problem = text
        self._message.content = in_markdown(text) if text else self._about()

    def _about(self) -> str:
        """The robot, what of its motion is not computed, and which of its meshes are not drawn as their files say."""
        missing = self.scene.drawn.missing
        lacks = [f"not computed: {named(self.model.not_computed)}"] if self.model.not_computed else []
        drawn = [*(["not drawn as their files say:"] if missing else []), *missing[:MOST_MISSING]]
        return "\n\n".join(map(in_markdown, [str(self.model), *lacks, *drawn]))

    def _look(self, client: Any) -> None:
        """The camera of somebody who has just opened the page."""
        middle = self.scene.poses(self.q)[1].mean(axis=0)
        client.camera.position = middle + self.scene.drawn.size * np.array([0.8, -1.3, 0.6])
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
        self.q = self._pushing.q = q
        self.scene.move(q)
        holds = self._held if self.holds else ()
        for name, slider in self.sliders.items():
            if name not in holds:
                at = self.model.iq[self.model.joint_index(name)].start
                slider.value = float(np.clip(q[at], slider.min, slider.max))

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
            self._start_over()
            self._set(q)

    def _start_over(self) -> None:
        """A pose that no simulation led to: what was is forgotten."""
        self._simulator, self.history, self._looking_back = None, History(), False
        self.time.disabled, self.time.value = True, 0.0

    # --- looking back

    def _scrubbed(self, event: Any) -> None:
        if event.client is not None:  # else it was this program that moved the slider
            self.scrub(float(event.target.value))

    def scrub(self, t: float) -> None:
        """Pause, and look at what was at a time; `play` goes on from there."""
        with self._lock:
            if len(self.history):
                self._playing, self._looking_back = False, True
                _, q, _ = self.history.at(t)
                self.time.value = t
                self._set(q)

    # --- simulating

    def play(self, on: bool = True) -> None:
        with self._lock:
            if on and self._simulator is None:
                seen = ("contact_force", "contact_point", "contact_frame") if self.model.pairs else ()
                try:
                    self._simulator = Simulator(self.model, f_ext=np.zeros((self.model.nbodies, 6)), outputs=seen)
                    self._simulator.reset(self.q, start="as given")
                    self._began, self._hung_at = 0.0, self.q
                    self.history = self.history if self._looking_back else History()
                except LinkwrightError as error:
                    self._say(str(error))
                    return
            if on and self._looking_back and self._simulator is not None:
                t, q, v = self.history.at(float(self.time.value))
                self._simulator.reset(q, v, start="as given")
                self._began = t
                self.history.forget_after(t)
                self._looking_back = False
            self._playing = on

    def reset(self) -> None:
        """Back to the drawn pose, at rest."""
        with self._lock:
            self._playing = False
            self._start_over()
            self._set(_drawn(self.model))
            self._say("")

    def push(self, body: str, to: np.ndarray) -> None:
        """Pull a body towards a place in the world, as dragging it does."""
        with self._lock:
            self._pushing.towards(body, to)

    def _torque(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Of sliders that hold their joints: critically damped."""
        tau = np.zeros(self.model.nv)
        for name in self._held & self.sliders.keys() if self.holds else ():
            slider, i = self.sliders[name], self.model.joint_index(name)
            k, at = self.model.iv[i].start, self.model.iq[i].start
            tau[k] = self._inertia[k] * (_HELD**2 * (float(slider.value) - q[at]) - 2 * _HELD * v[k])
        if self._bases and self.holds:
            away = self.model.difference(q, self._hung_at)
            weight = self._weight_torques(q)
            for six in self._bases:
                tau[six] = self._inertia[six] * (_HELD**2 * away[six] - 2 * _HELD * v[six]) + weight[six]
        return tau

    def _run(self) -> None:
        while not self._ended.wait(FRAME):
            with self._lock:
                if self._playing and self._simulator is not None:
                    self._advance(self._simulator)

    def _advance(self, simulator: Simulator) -> None:
        begin, steps = time.perf_counter(), max(1, round(FRAME * self._speed / simulator.dt))
        simulator.f_ext[...] = self._pushing.forces(self.q)  # type: ignore[index]  # they were given
        done = 0
        while done < steps and time.perf_counter() - begin < FRAME:  # slower than the clock rather than late
            simulator.step(self._torque(simulator.q, simulator.v))  # every step: light rods bear no delay
            done += 1
        if not np.isfinite(simulator.q).all():
            self._playing, self._simulator = False, None
            self._say("the state is no longer finite; look back, or start again")
            return
        self._set(simulator.q.copy())
        self._remember(self._began + simulator.t, simulator.v)
        if self.model.pairs:
            force, point, frame = (simulator[name] for name in ("contact_force", "contact_point", "contact_frame"))
            vectors = np.einsum("kij,ki->kj", frame, force[:, :3])
            self.scene.forces(np.nan_to_num(point), vectors, 0.5 * self.scene.drawn.size / max(self._weight, 1e-9))

    def _remember(self, t: float, v: np.ndarray) -> None:
        self.history.add(t, self.q, v.copy())
        first, last = self.history.span
        self.time.disabled = False
        self.time.min, self.time.max = first, max(last, first + FRAME)
        self.time.value = t

    def close(self) -> None:
        self._ended.set()
        self._thread.join(timeout=5.0)
        self.server.stop()


def _drawn(model: Model) -> np.ndarray:
    """The configuration in which a robot is first seen, its loops closed."""
    q = first_pose(model)
    return project_configuration(model, q) if model.constraints else q


def _moved_inertias(model: Model, q: np.ndarray) -> np.ndarray:
    """(nv,) torque over acceleration of each velocity alone, loops included."""
    dynamics, rest = compile(model, "forward_dynamics", outputs="a"), np.zeros(model.nv)
    pushed = dynamics(np.tile(q, (model.nv, 1)), np.zeros((model.nv, model.nv)), np.eye(model.nv))
    return 1.0 / np.maximum(np.diag(pushed - dynamics(q, rest, rest)), 1e-6)


def _sliding(model: Model) -> tuple[list[str], list[str]]:
    """Joints with a slider, those that move by one number: the motors, and the others."""
    single = [joint.name for joint in model.joints if joint.nq == joint.nv == 1]
    motors = [name for name in model.motors if name in single]
    return motors, [name for name in single if name not in motors]


def _range(model: Model, name: str, now: float, size: float) -> tuple[float, float]:
    """Of a slider: the joint's limits, else half a turn, or half the mechanism's size, to each side of where it is."""
    joint = model.joints[model.joint_index(name) - 1]
    low, high = float(joint.lower[0]), float(joint.upper[0])
    reach = size / 2 if joint.motion().drawn_as == "slide" else np.pi
    return (low if np.isfinite(low) else now - reach), (high if np.isfinite(high) else now + reach)


@names_arguments
def view(robot: Model | str | Path, *, port: int = 8080) -> None:
    """Serve a robot's live page until Ctrl-C."""
    page = LivePage(robot, port=port)
    print(f"{printable(page.model.name)}: {page.url} (whoever has this address moves the robot; Ctrl-C ends it)")
    try:
        while True:
            time.sleep(1.0)
    except KeyboardInterrupt:
        page.close()
