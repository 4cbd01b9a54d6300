"""Shapes that touch, the floor they touch, and forces as arrows."""

import base64

import numpy as np
import pytest
from test_animation import scene_of

import linkwright as lw
from linkwright.errors import InputError
from linkwright.viewer import write_html
from linkwright.viewer.body_poses import body_poses
from linkwright.viewer.shapes import make_scene

EVERY_SHAPE = (
    lw.sphere("torso", 0.1, at=(0, 0, 0.1), name="ball"),
    lw.capsule("torso", 0.05, 0.4, name="pill"),
    lw.cylinder("torso", 0.05, 0.4, name="can"),
    lw.box("torso", (0.2, 0.1, 0.1), name="brick"),
    lw.ellipsoid("torso", (0.1, 0.1, 0.2), name="egg"),
    lw.ellipsoid("torso", (0.1, 0.1, 0.01), name="lens"),
    lw.convex("torso", [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)], name="corner"),
)


def standing(height=-0.3):
    builder = lw.ModelBuilder("block")
    builder.add_body("torso", lw.free_flyer("root"), inertia=lw.Inertia.box(2.0, (0.2, 0.2, 0.2)))
    return builder.build().with_shapes(*EVERY_SHAPE).on_ground(friction=0.8, at=(0, 0, height))


def test_every_shape_is_drawn_where_it_is():
    model = standing()
    rotations, positions = body_poses(model, model.drawn[None])
    scene = make_scene(model, rotations[0], positions[0])
    labels = {part.label for part in (*scene.rods, *scene.boxes)}
    assert {f"{shape.name} ({shape.kind})" for shape in EVERY_SHAPE} <= labels
    ball = next(rod for rod in scene.rods if rod.label.startswith("ball"))
    assert ball.radius == 0.1 and np.allclose(ball.start[1], [0, 0, 0.1]) and np.allclose(ball.end[1], [0, 0, 0.1])
    pill = next(rod for rod in scene.rods if rod.label.startswith("pill"))
    assert np.allclose(np.abs(pill.end[1] - pill.start[1]), [0, 0, 0.4])
    corner = next(box for box in scene.boxes if box.label.startswith("corner"))
    assert np.allclose(corner.centre, 0.05) and np.allclose(corner.half, 0.05)


def test_shapes_that_touch_nothing_are_not_drawn():
    builder = lw.ModelBuilder("block")
    builder.add_body("torso", lw.free_flyer("root"), inertia=lw.Inertia.box(2.0, (0.2, 0.2, 0.2)))
    model = builder.build().with_shapes(*EVERY_SHAPE)
    rotations, positions = body_poses(model, model.drawn[None])
    assert not any("ball" in rod.label for rod in make_scene(model, rotations[0], positions[0]).rods)


def test_the_floor_is_the_plane_that_is_stood_on(tmp_path):
    model = standing(-0.25)
    page = write_html(model, model.drawn[None], [0.0], tmp_path / "a.html")
    assert scene_of(page)["floor"] == -0.25
    assert scene_of(write_html(model, model.drawn[None], [0.0], page, floor=1.0))["floor"] == 1.0


def test_forces_are_arrows_of_the_frames_that_are_kept(tmp_path):
    model = standing()
    times = np.linspace(0.0, 0.1, 101)  # more than a screen shows
    q = np.repeat(model.drawn[None], 101, axis=0)
    points, vectors = np.zeros((101, 2, 3)), np.zeros((101, 2, 3))
    vectors[:, 0, 2] = np.arange(101)
    vectors[50, 1] = np.nan
    scene = scene_of(write_html(model, q, times, tmp_path / "a.html", forces=(points, vectors)))
    assert scene["arrows"] == 2
    kept = np.frombuffer(base64.b64decode(scene["times"]), "<f4")
    found = np.frombuffer(base64.b64decode(scene["forces"]), "<f4").reshape(len(kept), 2, 6)
    assert np.allclose(found[:, 0, 5], np.round(kept * 1000)) and np.isfinite(found).all() and not found[:, 1].any()
    assert 0 < scene["arrow_scale"] * 100 < scene["size"]


@pytest.mark.parametrize("forces", [3, (np.zeros((1, 2, 3)), np.zeros((1, 3, 3))), (np.zeros((2, 1, 3)),) * 2, "ab"])
def test_forces_of_another_form_are_refused(forces, tmp_path):
    model = standing()
    with pytest.raises(InputError, match="forces"):
        write_html(model, model.drawn[None], [0.0], tmp_path / "a.html", forces=forces)


def test_a_page_with_arrows_plays(chromium, tmp_path):
    model = standing()
    q = np.repeat(model.drawn[None], 30, axis=0)
    vectors = np.zeros((30, 1, 3))
    vectors[:, 0, 2] = 10.0
    path = write_html(model, q, np.linspace(0, 1, 30), tmp_path / "a.html", forces=(np.zeros((30, 1, 3)), vectors))
    page = chromium.open(path)
    green = """new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
      const stage = document.getElementById("stage");
      const data = stage.getContext("2d").getImageData(0, 0, stage.width, stage.height).data;
      let count = 0;
      for (let k = 0; k < data.length; k += 4)
        if (data[k + 1] > data[k] + 60 && data[k + 1] > data[k + 2] + 60) count++;
      done(count);
    })))"""
    assert page.evaluate(green) > 50
