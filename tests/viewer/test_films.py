"""Films: as long as the motion, with what moves in them, and files that are there or not."""

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwright as lw
from linkwright.cli import app
from linkwright.errors import InputError
from linkwright.viewer import write_video
from linkwright.viewer.camera import Camera
from linkwright.viewer.picture import Picture
from linkwright.viewer.raster import Raster
from linkwright.viewer.scene import Bar, Scene
from linkwright.viewer.svg import Markup

imageio = pytest.importorskip("imageio.v3", reason="the extra 'view' is not installed")

SMALL = {"width": 96, "height": 64, "progress": False}


@pytest.fixture(scope="module")
def swing():
    robot = lw.load("four_bar")
    return lw.simulate(robot, dt=2e-3, steps=250, record=8, control=lw.PD(kp=0.0, kd=0.01))


@pytest.mark.parametrize(("kind", "fps"), [("gif", 10), ("mp4", 15)])
def test_a_film_is_as_long_as_the_motion_and_moves(swing, kind, fps, tmp_path):
    path = write_video(swing.model, swing.q, swing.t, tmp_path / f"swing.{kind}", fps=fps, traces="coupler", **SMALL)
    frames = imageio.imread(path)[..., :3].astype(int)
    assert frames.shape == (1 + int(0.5 * fps), 64, 96, 3)
    assert np.abs(frames[0] - frames[-1]).max() > 60  # something is elsewhere
    assert [x.name for x in tmp_path.iterdir()] == [path.name]


def test_pixels_show_what_the_drawing_does():
    """A rod upright in the middle, lit from the left; an arrow to the right, in front."""
    rod = Bar((0, np.array([0, 0, -1.0])), (0, np.array([0, 0, 1.0])), 0.2, 1, "rod")
    scene = Scene(2.0, rods=[rod])
    camera = Camera((2 * np.array(list(np.ndindex(2, 2, 2))) - 1) * (1, 1, 1.2), -np.pi / 2, 0.0, 120, 120)
    arrows = np.array([[[0.0, 0, 0], [0.9, 0, 0]]])
    canvas = Raster(120, 120)
    Picture(scene, np.eye(3)[None], np.zeros((1, 3)), camera, None, canvas, arrows).draw()
    pixels = canvas.pixels.astype(int)
    across = pixels[40]
    blue = np.flatnonzero(across[:, 2] - across[:, 0] > 40)
    assert blue.min() < 60 < blue.max() and abs(blue.mean() - 59.5) < 1.5
    assert across[blue[2]].sum() > across[blue[-3]].sum() + 60
    green = np.argwhere((pixels[..., 1] - pixels[..., 0] > 60) & (pixels[..., 1] - pixels[..., 2] > 60))
    assert len(green) > 20 and abs(green[:, 0].mean() - 59.5) < 2 and green[:, 1].max() > 85
    drawing = Markup(120, 120)
    Picture(scene, np.eye(3)[None], np.zeros((1, 3)), camera, None, drawing, arrows, [np.zeros((2, 3))]).draw()
    assert drawing.text("x").count("<polygon") == 1 and "<polyline" in drawing.text("x")


def test_the_camera_goes_along(tmp_path):
    """Of what travels far, the mechanism stays where it is in the picture."""
    robot = lw.load("quadruped")
    q = np.tile(robot.neutral(), (3, 1))
    q[:, 0] = (0.0, 5.0, 10.0)
    path = write_video(robot, q, [0.0, 0.1, 0.2], tmp_path / "far.mp4", fps=10, floor=False, **SMALL)
    frames = imageio.imread(path)[..., :3].astype(int)
    assert len(frames) == 3 and np.abs(frames[0] - frames[2]).mean() < 1.0


def test_interrupted_it_is_kept_as_far_as_it_is_drawn(swing, tmp_path, monkeypatch):
    real, drawn = Picture.draw, []

    def interrupted(self):
        if len(drawn) == 3:
            raise KeyboardInterrupt
        drawn.append(1)
        real(self)

    monkeypatch.setattr(Picture, "draw", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_video(swing.model, swing.q, swing.t, tmp_path / "part.gif", fps=10, **SMALL)
    assert len(imageio.imread(tmp_path / "part.gif")) == 3
    assert [x.name for x in tmp_path.iterdir()] == ["part.gif"]


def test_mistakes_are_named(swing, tmp_path):
    def write(name="a.gif", **options):
        write_video(swing.model, swing.q, swing.t, tmp_path / name, **{**SMALL, **options})

    for message, arguments in (
        (r"ends with '\.avi'; expected \.mp4 or \.gif", {"name": "a.avi"}),
        ("there is no folder", {"name": "b/a.gif"}),
        ("width is 33; expected an even number", {"width": 33}),
        ("fps is 0;", {"fps": 0}),
        ("no frame named 'toe'", {"traces": ["toe"]}),
    ):
        with pytest.raises(InputError, match=message):
            write(**arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["simulate four_bar --seconds 0.2", "view four_bar --seconds 0.2"])
def test_commands_film_what_they_simulate(command, tmp_path):
    path = tmp_path / "film.gif"
    told = CliRunner().invoke(app, [*command.split(), "--video", str(path)])
    assert told.exit_code == 0, told.output
    assert imageio.imread(path).shape[1:3] == (600, 900)
    refused = CliRunner().invoke(app, [*command.split(), "--video", str(tmp_path / "film.avi")])
    assert refused.exit_code == 1 and "expected .mp4 or .gif" in str(refused.exception)
