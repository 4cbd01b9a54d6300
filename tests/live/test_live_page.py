"""The live page: loops follow what is dragged, the simulation runs, a real browser shows it."""

import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("viser", reason="the extra 'view' is not installed")

import linkwright as lw
from linkwright.errors import InputError
from linkwright.live import LivePage

sys.path.insert(0, str(Path(__file__).parents[1] / "viewer"))
from chromium import chromium  # noqa: F401  a fixture


@pytest.fixture
def page():
    page = LivePage("four_bar", port=8123)
    yield page
    page.close()


def opening(page):
    return np.abs(lw.reference(page.model, "constraint_error")(page.q)).max()


def waited(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def dragged(browser, shown, element, by=20):
    """Drag an element by so many pixels, once it rests where it can be seen: pages settle when they like."""
    x, y = shown.evaluate(
        f"(() => {{const e = {element}; e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect(); "
        "return [r.x + r.width / 2, r.y + r.height / 2]})()"
    )
    move(browser, shown, x, y, by)


def move(browser, shown, x, y, by, during=lambda: None):
    """The pointer, with its button down."""
    moves = [("mouseMoved", x + by * k / 10, 1) for k in range(1, 11)]
    for kind, at, held in (("mouseMoved", x, 0), ("mousePressed", x, 1), *moves, ("mouseReleased", x + by, 0)):
        if kind == "mouseReleased":
            during()
        event = {"type": kind, "x": at, "y": y, "button": "left", "buttons": held, "clickCount": 1}
        browser.call("Input.dispatchMouseEvent", shown.session, **event)
        time.sleep(0.03)


def seen_at(page, shown, point):
    """Where a point in the world is in the window."""
    [client] = page.server.get_clients().values()
    camera, size = client.camera, shown.evaluate("[innerWidth, innerHeight]")
    eye = np.array(camera.position)
    forward = np.array(camera.look_at) - eye
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, camera.up_direction)
    right /= np.linalg.norm(right)
    away = point - eye
    half = size[1] / 2 / np.tan(camera.fov / 2) / (away @ forward)
    return size[0] / 2 + half * (away @ right), size[1] / 2 - half * (away @ np.cross(right, forward))


def test_loops_follow_a_joint_and_stay_where_they_cannot(page):
    before = page.q.copy()
    page.pose("crank_joint", 0.5)
    assert page.q[0] == pytest.approx(0.5) and np.abs(page.q - before)[1:].min() > 0.01 and opening(page) < 1e-9
    assert page.sliders["rocker_joint"].value == pytest.approx(page.q[2], abs=0.01)
    there = page.q.copy()
    page.pose("rocker_joint", 3.0)  # farther than a rocker goes
    assert "rocker_joint cannot be at 3.000" in page.problem and np.array_equal(page.q, there)
    page.reset()
    assert page.problem == "" and np.allclose(page.q, before)


def test_it_plays_holds_and_is_pushed(page):
    page.play()
    assert waited(lambda: page._simulator is not None and page._simulator.t > 0.5)
    assert abs(page.q[0]) < 0.1 and opening(page) < 1e-6  # its sliders hold it
    page.push("rocker", (1.0, 0.0, 0.0))
    assert waited(lambda: abs(page.q[0]) > 0.15)  # 0.06 rad is what its weight does to it
    page.play(False)
    assert opening(page) < 1e-6


def test_one_looks_back_and_goes_on_from_there(page):
    page.play()
    page.push("rocker", (1.0, 0.0, 0.0))
    assert waited(lambda: len(page.history) > 20)
    page.play(False)
    first, last = page.history.span
    middle = (first + last) / 2
    page.scrub(middle)
    t, q, v = page.history.at(middle)
    assert first < t <= middle and np.array_equal(page.q, q) and opening(page) < 1e-6
    count = len(page.history)
    page.push("rocker", (0.0, 0.0, 0.0))
    page.play()
    assert waited(lambda: page.history.span[1] > t + 0.3)
    page.play(False)
    known = page.history.at(t)
    assert np.array_equal(known[1], q) and np.array_equal(known[2], v) and len(page.history) < count + 60
    page.pose("crank_joint", 0.4)
    assert len(page.history) == 0 and page.time.disabled


def test_a_robot_that_touches_nothing_hangs_where_it_is(page):
    page._change_robot("quadruped")
    start = page.q.copy()
    page.play()
    assert waited(lambda: len(page.history) and page.history.span[1] > 0.6)
    page.play(False)
    assert np.abs(page.q[:3] - start[:3]).max() < 0.1  # not the 1.8 m of a fall


def test_parts_are_switched(page):
    scene = page.scene
    assert scene.parts == {"closures": True, "frames": False, "centre of mass": False, "forces": True}
    for part, on in scene.parts.items():
        scene.show(part, not on)
    center = lw.reference(page.model, "center_of_mass")(page.q)
    assert np.allclose(scene._center.position, center) and scene._center.visible
    assert scene._closures and not any(node.visible for node in scene._closures)
    assert all(frame.show_axes for frame in scene._bodies)
    assert {body for _, body in scene.touchable} == {1, 2, 3}


def test_robots_are_changed_and_stand_where_they_can(page):
    page._change_robot("slider_crank")
    assert page.model.name == "slider_crank" and opening(page) < 1e-9
    slides = [j.name for j in page.model.joints if j.kind == "prismatic"]
    assert slides and all(page.sliders[name].max < 3 for name in slides)  # metres, not half a turn
    page._change_robot("walking_beast")
    gap = lw.reference(page.model, "contact_dynamics", outputs="gap")
    zeros = np.zeros(page.model.nv)
    assert abs(np.min(gap(page.q, zeros, zeros, 1e-3))) < 2e-3
    page._change_robot("four_bar")
    assert page.model is page._given and page.problem == ""


def test_a_port_in_use_is_stepped_over(page):
    other = LivePage("four_bar", port=8123)
    try:
        assert other.url != page.url
    finally:
        other.close()


def test_mistakes_are_named():
    with pytest.raises(InputError, match="port is 0"):
        LivePage("four_bar", port=0)


def test_in_a_browser(page, chromium, tmp_path):  # noqa: F811
    shown = chromium.visit(page.url)
    sliders = "[...document.querySelectorAll('[role=slider]')]"
    assert waited(lambda: shown.evaluate(f"{sliders}.length") == 2 + len(page.sliders))
    for _ in range(10):
        dragged(chromium, shown, f"{sliders}[2]")  # that of the crank, after speed and time
        if waited(lambda: abs(page.q[0]) > 0.2, 2.0):
            break
    assert abs(page.q[0]) > 0.2
    assert opening(page) < 1e-6
    button = "[...document.querySelectorAll('button')].find((x) => x.textContent.includes('play'))"
    shown.evaluate(f"{button}.click()")
    assert waited(lambda: page._simulator is not None and page._simulator.t > 0.2)
    page.push("crank", (0.5, 0.0, 0.5))
    time.sleep(0.5)
    assert opening(page) < 1e-6
    page._pushing.grab("nothing")
    pulled = []
    for _ in range(10):  # the coupler by its middle, with the pointer
        R, p = page.scene.poses(page.q)
        middle = R[2] @ np.asarray(page.model.bodies[2].inertia.com) + p[2]
        x, y = seen_at(page, shown, middle)
        move(chromium, shown, x, y, 60, lambda: waited(lambda: pulled.append(page._pushing.pull) or pulled[-1], 1.0))
        if pulled[-1]:
            break
    if hasattr(page.scene.touchable[0][0], "on_drag"):
        assert pulled[-1].body in (1, 2, 3)
    assert waited(lambda: page._pushing.pull is None, 5.0) and opening(page) < 1e-6
    picture = shown.screenshot(tmp_path / "live.png")
    for _ in range(10):
        dragged(chromium, shown, f"{sliders}[1]", -40)  # back in time
        if waited(lambda: page._looking_back, 2.0):
            break
    assert page._looking_back and not page._playing and opening(page) < 1e-6
    assert picture.stat().st_size > 10_000
