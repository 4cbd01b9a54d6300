"""`write_video`: a trajectory as an mp4 or gif file, drawn frame by frame as stills are; no display is needed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic_file import replacing
from ..call_errors import names_arguments
from ..errors import InputError, MissingExtraError
from ..model import Model
from ..rollouts.progress import progress_bar
from .arrows import arrow_scale, checked_forces
from .body_poses import body_poses, checked_trajectory
from .camera import Camera
from .contact_shapes import floor_of
from .picture import Picture
from .raster import Raster
from .shapes import make_scene
from .skin import thinned
from .view import bounds, extreme_points, floor_height, start_view, travelled

FORMATS = {".mp4": 30.0, ".gif": 20.0}
"""Endings of files, and frames per second by default."""
_MOST_FACES = 4000  # of all meshes: what is drawn in a tenth of a second
_SEEN = 60  # frames of a motion that say where the camera must be
_MOST_PIXELS = 4096


@names_arguments
def write_video(
    model: Model, q, times, path, *, width: int = 900, height: int = 600, fps: float | None = None,
    floor: float | bool | None = None, traces=(), forces=None, azimuth: float | None = None,
    elevation: float | None = None, progress: bool = True,
) -> Path:  # fmt: skip
    """Write configurations q (T, nq) at `times` (T,) as a film to `path`, .mp4 or .gif; returns the path.

    width, height        pixels; even numbers
    fps                  frames per second of its time; by default 30, and 20 in a gif
    floor, traces, forces   as of `write_html`
    azimuth, elevation   from where it is looked at, in degrees; by default flat mechanisms from the side
    progress             a bar in the terminal for what takes longer than two seconds

    The camera follows what travels further than it is large. Ctrl-C keeps the film as far as it is drawn.
    """
    path = checked_video(path)
    fps = _rate(path, fps)
    for name, side in (("width", width), ("height", height)):
        if not isinstance(side, int) or isinstance(side, bool) or not 16 <= side <= _MOST_PIXELS or side % 2:
            raise InputError(f"{name} is {side!r}; expected an even number of pixels from 16 to {_MOST_PIXELS}")
    given = len(np.atleast_1d(times))
    q, times, kept = checked_trajectory(model, q, times)
    arrows = None if forces is None else checked_forces(forces, given)[kept]
    film = _Film(model, q, times, fps, arrows, width, height, floor, _named(traces), azimuth, elevation)
    with _written(path, fps) as writer, progress_bar("frames", len(film), wanted=progress) as advance:
        for frame in film:
            writer.append_data(frame)
            advance()
    return path


class _Film:
    """Frames (height, width, 3) of bytes, at even times."""

    def __init__(
        self, model: Model, q: np.ndarray, times: np.ndarray, fps: float, arrows: np.ndarray | None, width: int,
        height: int, floor: float | bool | None, traces: list[str], azimuth: float | None, elevation: float | None,
    ):  # fmt: skip
        shown = times[0] + np.arange(math.floor((times[-1] - times[0]) * fps + 1e-6) + 1) / fps
        self.R, self.p = body_poses(model, _between(model, q, times, shown))
        nearest = np.abs(times[None] - shown[:, None]).argmin(axis=1)
        scene = self.scene = make_scene(model, self.R[0], self.p[0])
        self.arrows = np.zeros((len(shown), 0, 6)) if arrows is None else arrows[nearest]
        self.arrow_scale = arrow_scale(self.arrows, scene.size)
        some = np.unique(np.linspace(0, len(shown) - 1, _SEEN).astype(int))
        box = bounds(scene, self.R[some], self.p[some])
        view = start_view(box, bounds(scene, self.R[:1], self.p[:1]), scene.size, travelled(self.p))
        self.floor = floor_height(floor_of(model) if floor is None else floor, box)
        middles = self.p[:, 1:].mean(axis=1) if model.nbodies > 1 else np.zeros((len(shown), 3))
        self.shifts = (middles - middles[0]) * (1.0, 1.0, 0.0) if view["follow"] else np.zeros_like(middles)
        points = extreme_points(scene, self.R[some], self.p[some] - self.shifts[some, None])
        self.camera = Camera(
            points,
            view["azimuth"] if azimuth is None else math.radians(azimuth),
            view["elevation"] if elevation is None else math.radians(elevation),
            width,
            height,
        )
        self.traces = [self._path(model, name) for name in traces]
        scene.skins = thinned(scene.skins, _MOST_FACES)

    def _path(self, model: Model, name: str) -> np.ndarray:
        frame = model.frame(name)
        return self.R[:, frame.body] @ frame.placement.translation + self.p[:, frame.body]

    def __len__(self) -> int:
        return len(self.R)

    def __iter__(self) -> Iterator[np.ndarray]:
        start = self.camera.target
        for k in range(len(self)):
            self.camera.target = start + self.shifts[k]
            canvas = Raster(int(self.camera.width), int(self.camera.height))
            acting = self.arrows[k][np.abs(self.arrows[k, :, 3:]).max(axis=1) > 0.0]
            tips = acting[:, :3] + self.arrow_scale * acting[:, 3:]
            Picture(
                self.scene, self.R[k], self.p[k], self.camera, self.floor, canvas,
                np.stack([acting[:, :3], tips], axis=1), [path[: k + 1] for path in self.traces],
            ).draw()  # fmt: skip
            yield canvas.pixels


def _between(model: Model, q: np.ndarray, times: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """(n, nq) at the times shown, each on the way from the configuration before to the one after."""
    if len(times) == 1:
        return q
    low = np.clip(np.searchsorted(times, shown, side="right") - 1, 0, len(times) - 2)
    part = (shown - times[low]) / (times[low + 1] - times[low])
    step = np.array([model.difference(q[k], q[k + 1]) for k in low])
    return np.array([model.integrate(q[k], s * d) for k, s, d in zip(low, part, step, strict=True)])


def checked_video(path: Any) -> Path:
    """A file that a film can be written to: before minutes of computing, not after."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"video {str(path)!r} ends with {path.suffix!r}; expected {' or '.join(FORMATS)}")
    if not path.resolve().parent.is_dir():
        raise InputError(f"video {str(path)!r}: there is no folder {str(path.parent)!r}; make it first")
    try:
        import imageio.v2  # noqa: F401
        import imageio_ffmpeg  # noqa: F401
    except ImportError:
        raise MissingExtraError("imageio", "view", "writing videos") from None
    return path


@contextmanager
def _written(path: Path, fps: float) -> Iterator[Any]:
    """What frames are appended to; afterwards the file is there, also of a film that was interrupted."""
    import imageio.v2

    mp4 = {"fps": fps, "macro_block_size": 2, "codec": "libx264", "pixelformat": "yuv420p", "quality": 5.5}
    gif = {"duration": 1000.0 / fps, "loop": 0}
    form = path.suffix.lower()
    with replacing(path, even_if=(KeyboardInterrupt,)) as unfinished:
        frames = _Counted()
        with imageio.v2.get_writer(unfinished, mode="I", format=form, **(gif if form == ".gif" else mp4)) as writer:
            frames.writer = writer
            yield frames
        if form == ".mp4":
            _check_whole(unfinished, frames.count)


class _Counted:
    """Passes frames on, and knows how many."""

    writer: Any
    count = 0

    def append_data(self, frame: np.ndarray) -> None:
        self.writer.append_data(frame)
        self.count += 1


def _check_whole(path: Path, frames: int) -> None:
    """The program that writes films ends without a word where the disk is full at the very end."""
    import imageio_ffmpeg

    try:
        found, _ = imageio_ffmpeg.count_frames_and_secs(str(path))
    except RuntimeError:
        found = 0
    if found < frames:
        raise OSError(f"{found} of {frames} frames can be read from it; the disk may be full")


def _rate(path: Path, fps: float | None) -> float:
    if fps is None:
        return FORMATS[path.suffix.lower()]
    if isinstance(fps, bool) or not isinstance(fps, int | float) or not 1 <= fps <= 60:
        raise InputError(f"fps is {fps!r}; expected frames per second from 1 to 60")
    return float(fps)


def _named(traces) -> list[str]:
    return [traces] if isinstance(traces, str) else list(traces)
