"""Where a mesh that a URDF or an SDF names may be: beside the robot's file, or in a package around it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_SCHEMES = ("package://", "model://", "file://")
_LEVELS = 6  # folders above the robot's file in which a package is looked for


def mesh_places(uri: str, folder: Path) -> tuple[Path, ...]:
    """Paths at which a file of that name may be, best first. Nothing is looked for yet."""
    scheme = next((s for s in _SCHEMES if uri.startswith(s)), "")
    rest = uri[len(scheme) :]
    if scheme not in ("package://", "model://"):
        return (folder / rest,)
    rest = rest.lstrip("/")  # some write package:///
    package, _, inner = rest.partition("/")
    around = [folder, *folder.parents][: _LEVELS + 1]
    return tuple(place / inner if place.name == package else place / rest for place in around)


def first_there(places: Iterable[Path]) -> Path | None:
    """The first of these paths that is a file."""
    for place in places:
        try:
            if place.is_file():
                return place
        except (OSError, ValueError):  # too long, or with a null character: no such file
            continue
    return None
