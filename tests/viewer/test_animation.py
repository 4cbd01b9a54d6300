"""The page plays offline in a browser, and no name breaks it."""

import base64
import json
import re

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.printable import printable
from linkwright.robots.random import random_pose
from linkwright.viewer import write_html
from linkwright.viewer.body_poses import FRAMES_PER_SECOND, quaternions, thinned
from linkwright.viewer.polygons import outline
from linkwright.viewer.shapes import make_scene


def swinging(name="quadruped", steps=40, seconds=2.0):
    model = lw.load(name)
    sway = np.random.default_rng(0).normal(size=model.nv) * 0.4
    times = np.linspace(0, seconds, steps)
    q = np.array([model.integrate(model.neutral(), sway * np.sin(3 * t)) for t in times])
    return model, q, times


def scene_of(path):
    text = re.search(r'<script type="application/json" id="scene">(.*?)</script>', path.read_text(), re.DOTALL)[1]
    return json.loads(text)


# Looks at the page from inside, frame by frame, so that nothing depends on how fast frames come.
WATCH = """new Promise((done) => {
  const stage = document.getElementById("stage"), clocks = [], pictures = [];
  function colourful() {
    const data = stage.getContext("2d").getImageData(0, 0, stage.width, stage.height).data;
    let count = 0;
    for (let k = 0; k < data.length; k += 4) {
      const channels = [data[k], data[k + 1], data[k + 2]];
      if (Math.max(...channels) - Math.min(...channels) > 60) count++;
    }
    return count;
  }
  function look() {
    clocks.push(parseFloat(document.getElementById("clock").textContent));
    if (clocks.length === 2 || clocks.length === 8) pictures.push(stage.toDataURL());
    if (clocks.length < 8) { requestAnimationFrame(look); return; }
    done({ clocks, moved: pictures[0] !== pictures[1], colourful: colourful() });
  }
  requestAnimationFrame(look);
})"""


def test_the_page_plays(chromium, tmp_path):
    model, q, times = swinging(seconds=1000.0)  # long enough not to begin again while watched
    page = chromium.open(write_html(model, q, times, tmp_path / "page.html", title="swing <&>"))
    assert page.evaluate("document.title") == "swing <&>"
    page.evaluate("document.getElementById('speed').value = 4")
    seen = page.evaluate(WATCH)
    assert seen["clocks"] == sorted(seen["clocks"]) and seen["clocks"][-1] > seen["clocks"][0]
    assert seen["moved"]
    assert seen["colourful"] > 1000  # pixels of the mechanism; sky, floor and shadows are grey


def test_pausing_scrubbing_and_orbiting(chromium, tmp_path):
    model, q, times = swinging()
    page = chromium.open(write_html(model, q, times, tmp_path / "page.html"))
    page.evaluate("document.getElementById('play').click()")
    still = page.evaluate(WATCH)
    assert not still["moved"] and len(set(still["clocks"])) == 1
    page.evaluate("document.getElementById('scrubber').value = 500")
    page.evaluate("document.getElementById('scrubber').dispatchEvent(new Event('input'))")
    assert page.evaluate(WATCH)["clocks"][-1] == pytest.approx(1.0, abs=0.01)
    before = page.evaluate("document.getElementById('stage').toDataURL()")
    page.drag(450, 300, 600, 350)
    page.evaluate(WATCH)
    assert page.evaluate("document.getElementById('stage').toDataURL()") != before


def test_light_and_dark(chromium, tmp_path):
    path = write_html(*swinging(), tmp_path / "page.html")
    corner = "Array.from(document.getElementById('stage').getContext('2d').getImageData(2, 2, 1, 1).data).slice(0, 3)"
    bright = {}
    for dark in (False, True):
        page = chromium.open(path, dark=dark)
        page.evaluate(WATCH)
        bright[dark] = sum(page.evaluate(corner))
    assert bright[False] > 700 and bright[True] < 100
    page.evaluate("document.getElementById('theme').click()")
    page.evaluate(WATCH)
    assert sum(page.evaluate(corner)) > 700


def test_an_empty_stage(chromium, tmp_path):
    empty = write_html(lw.ModelBuilder("nothing").build(), np.zeros((2, 0)), [0, 1], tmp_path / "page.html")
    assert chromium.open(empty).evaluate(WATCH)["colourful"] == 0


def test_a_single_configuration_is_shown_at_rest(chromium, tmp_path):
    model, q, _ = swinging()
    seen = chromium.open(write_html(model, q[:1], [0.0], tmp_path / "page.html")).evaluate(WATCH)
    assert not seen["moved"] and set(seen["clocks"]) == {0.0} and seen["colourful"] > 1000


HOSTILE = "</script><script>document.title='broken'</script>"


def test_hostile_names_are_only_names(chromium, tmp_path):
    builder = lw.ModelBuilder(HOSTILE)
    for k, name in enumerate((HOSTILE, "<!--<script>", "&amp;\"'\u2028{{scene}}", "a\x00b")):
        builder.add_body(name, lw.revolute(f"j{k}{name}"), placement=(k, 0, 0), inertia=lw.Inertia.sphere(1, 0.1))
    model = builder.build()
    page = write_html(model, np.zeros((3, 4)), [0, 0.5, 1.0], tmp_path / "page.html")
    assert scene_of(page)["labels"][1:] == [printable(body.name) for body in model.bodies[1:]]
    opened = chromium.open(page)
    assert opened.evaluate(WATCH)["colourful"] > 100
    assert opened.evaluate("document.title") == HOSTILE
    assert opened.evaluate("document.querySelectorAll('script').length") == 2  # the scene and the player


def test_nothing_is_fetched(tmp_path):
    model, q, times = swinging()
    text = write_html(model, q, times, tmp_path / "page.html").read_text()
    assert not re.search(r"https?://|src=|@import|url\(", text)
    assert "default-src 'none'" in text


def test_poses_are_those_of_the_model(tmp_path):
    model, q, times = swinging("random_tree:3,12")
    scene = scene_of(write_html(model, q, times, tmp_path / "page.html"))
    poses = np.frombuffer(base64.b64decode(scene["poses"]), "<f4").reshape(len(times), model.nbodies, 7)
    R, p = lw.reference(model, "forward_kinematics")(q)
    np.testing.assert_allclose(poses[..., :3], p, atol=1e-5)
    for t, i in ((0, 1), (7, 5), (-1, -1)):
        np.testing.assert_allclose(lw.Pose.from_quaternion((0, 0, 0), poses[t, i, 3:]).rotation, R[t, i], atol=1e-6)


def test_quaternions_of_all_kinds():
    rng = np.random.default_rng(0)
    R = np.array([random_pose(rng).rotation for _ in range(200)] + [np.diag(d) for d in ([1, 1, 1], [1, -1, -1])])
    for q, rotation in zip(quaternions(R), R, strict=True):
        np.testing.assert_allclose(lw.Pose.from_quaternion((0, 0, 0), q).rotation, rotation, atol=1e-12)


def test_long_trajectories_are_thinned_to_what_a_screen_shows(tmp_path):
    times = np.arange(5001) * 1e-3
    kept = thinned(times)
    assert kept[0] == 0 and kept[-1] == 5000
    assert len(kept) <= 5 * FRAMES_PER_SECOND + 2
    assert np.diff(times[kept]).max() < 1.5 / FRAMES_PER_SECOND
    assert thinned(np.array([0.0])).tolist() == [0]
    slow = np.arange(10.0)
    assert thinned(slow).tolist() == list(range(10))


def test_every_joint_and_constraint_is_drawn():
    model = lw.load("humanoid").with_constraints(lw.connect("left_hand", "right_hand"), lw.weld("left_foot"))
    R, p = lw.reference(model, "forward_kinematics")(model.neutral())
    scene = make_scene(model, R, p)
    labels = {shape.label for shape in (*scene.rods, *scene.boxes, *scene.plates)}
    for body in model.bodies[1:]:
        if body.joint.kind != "free_flyer":
            assert f"{body.joint.name} ({body.joint.kind})" in labels
    assert {"left_hand (closure)", "left_foot (closure)"} <= labels
    assert all(np.all(np.isfinite(point)) for rod in scene.rods for _, point in (rod.start, rod.end))


@pytest.mark.parametrize("seed", range(6))
def test_any_mechanism_can_be_drawn(seed, tmp_path):
    model = lw.load(f"random_tree:{seed},9")
    q = model.random_configuration(seed, 3)
    scene = scene_of(write_html(model, q, [0, 1, 2], tmp_path / "page.html"))
    assert scene["size"] > 0 and scene["rods"]


def test_outline_is_the_convex_polygon():
    square = np.array([[0, 0, 1], [1, 0, 1], [0.5, 0.5, 1], [1, 1, 1], [0, 1, 1], [0.5, 0, 1]], dtype=float)
    assert sorted(map(tuple, outline(square)[:, :2])) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert outline(np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0]], dtype=float)) is None
    assert outline(np.vstack([np.eye(3), np.zeros(3)])) is None


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda q, t: (q[:, :-1], t), r"expected \(T, 19\)"),
        (lambda q, t: (q[0], t), r"expected \(T, 19\)"),
        (lambda q, t: (q[:0], t[:0]), r"expected \(T, 19\)"),
        (lambda q, t: (q, t[:-1]), r"expected \(40,\)"),
        (lambda q, t: (q, t[::-1]), "must increase"),
        (lambda q, t: (np.where(np.arange(40)[:, None] > 16, np.nan, q), t), "q is not finite at step 17"),
        (lambda q, t: ("poses", t), "expected an array"),
        (lambda q, t: (q * 1e40, t), "flew away"),
    ],
)
def test_refusals(spoil, message, tmp_path):
    model, q, times = swinging()
    q, times = spoil(q, times)
    with pytest.raises(InputError, match=message), np.errstate(all="ignore"):
        write_html(model, q, times, tmp_path / "page.html")


def test_unknown_traces_and_floors_are_refused(tmp_path):
    model, q, times = swinging()
    with pytest.raises(InputError, match="no frame named"):
        write_html(model, q, times, tmp_path / "page.html", traces="nose")
    with pytest.raises(InputError, match="floor is nan"):
        write_html(model, q, times, tmp_path / "page.html", floor=float("nan"))
    page = write_html(model, q, times, tmp_path / "page.html", floor=False, traces=model.bodies[-1].name)
    assert scene_of(page)["floor"] is None
