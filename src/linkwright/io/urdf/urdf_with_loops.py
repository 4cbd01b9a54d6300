"""A URDF with the loops and motors of a YAML file beside it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from ...errors import LoadError
from ...model import Model
from ..formats import FileContent
from ..text.reading import read_bytes
from .parallel_robots import Closures, beside, read_closures
from .urdf_reader import model_from_element


def model_with_loops(content: FileContent) -> Model:
    closures = _closures(content.file, content.loops)
    model = model_from_element(
        content.root, floating_base=bool(content.floating_base), closures=closures, ignore=content.ignore
    )
    if closures is not None and content.loops is True:
        model = replace(model, warnings=(*model.warnings, f"loops and motors are from {closures.file}"))
    return model


def _closures(file: object, loops: str | os.PathLike[str] | bool) -> Closures | None:
    """The closures of a file beside a URDF."""
    if loops is False:
        return None
    if loops is not True:
        path = Path(loops)
        closures = read_closures(read_bytes(path), path)
        if closures is None:
            raise LoadError("has no entry 'closed_loop'", file=path)
        return closures
    for path in beside(file) if isinstance(file, Path) else ():
        if path.is_file():
            closures = read_closures(read_bytes(path), path)
            if closures is not None:
                return closures
    return None
