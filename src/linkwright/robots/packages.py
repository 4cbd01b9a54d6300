"""Robot descriptions that come in Python packages, found without importing those packages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

EXTRA = "robots"  # the extra of linkwright that brings both packages
EXAMPLE_ROBOT_DATA = "example-robot-data"
JVRC_DESCRIPTION = "jvrc-description"


def find_file(package: str, ending: str) -> Path | None:
    """The file of an installed package whose path ends so; None if the package or the file is not there."""
    for path in _descriptions(package):
        if path.as_posix().endswith("/" + ending):
            return path
    return None


def version(package: str) -> str | None:
    from importlib import metadata  # it takes as long to import as a small model to load

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@cache
def _descriptions(package: str) -> tuple[Path, ...]:
    from importlib import metadata

    try:
        files = metadata.distribution(package).files or ()
    except metadata.PackageNotFoundError:
        return ()
    paths = (Path(str(file.locate())) for file in files if file.suffix in (".urdf", ".sdf"))
    return tuple(path for path in paths if path.is_file())
