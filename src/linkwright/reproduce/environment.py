"""What numbers were measured on and with: machine, versions, peers, command."""

from __future__ import annotations

import hashlib
import platform
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from ..analysis.timing import machine
from ..bench.peers.grbda_cpp import GrbdaCpp, find_grbda
from ..bench.peers.pinocchio_cpp import PinocchioCpp, find_peer

_PACKAGES = {
    "linkwright": "linkwright",
    "numpy": "numpy",
    "llvmlite": "llvmlite",
    "pin": "Pinocchio",
    "mujoco": "MuJoCo",
    "drake": "Drake",
    "mujoco-mjx": "MJX",
    "example-robot-data": "example-robot-data",
    "jvrc-description": "jvrc-description",
    "matplotlib": "matplotlib",
}
PEERS = ("Pinocchio", "MuJoCo", "Drake", "MJX")

# Nothing that is measured comes from these. What judges, draws and reports may change without new measurements; the
# module of an item has a digest of its own.
_NOT_MEASURED = (
    "cli", "envs", "export", "jax.py", "learning", "live", "rollouts", "torch.py", "viewer", "reproduce/environment.py",
    "reproduce/files.py", "reproduce/item.py", "reproduce/item_figures.py", "reproduce/item_registry.py",
    "reproduce/pages.py", "reproduce/papers", "reproduce/records.py", "reproduce/report.py",
    "reproduce/reproducing.py", "reproduce/section_pictures.py", "reproduce/section_tables.py", "reproduce/sections.py",
)  # fmt: skip


@cache
def sources_digest() -> str:
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        name = file.relative_to(root).as_posix()
        if not name.startswith(_NOT_MEASURED):
            digest.update(name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def versions() -> dict[str, str | None]:
    """Name -> version, None where it is not installed."""
    return {name: _version(package) for package, name in _PACKAGES.items()}


def circumstances() -> dict[str, Any]:
    return {
        "machine": {**machine(), "system": f"{platform.system()} {platform.release()}"},
        "versions": versions(),
        "command": " ".join(["linkwright", *(_without_folder(argument) for argument in sys.argv[1:])]),
    }


def _without_folder(argument: str) -> str:
    """Where somebody keeps files is nobody's business: of absolute paths the name is kept."""
    option, equals, value = argument.rpartition("=")
    return option + equals + (Path(value).name if Path(value).is_absolute() else value)


class Peers:
    """Other libraries, as far as they are here. Pinocchio's C++, and what calls the library of [Chignoli2023] in the
    folder `grbda`, are built when they are first needed."""

    def __init__(self, *, cpp: bool = True, grbda: Path | None = None):
        self.cpp_allowed, self.grbda_folder = cpp, grbda
        self._building: Future[tuple[PinocchioCpp | None, str]] | None = None

    @property
    def others(self) -> tuple[str, ...]:
        """Names of libraries that are called as users call them, of `library_calls.OTHERS`."""
        known = versions()
        return tuple("Pinocchio Python" if name == "Pinocchio" else name for name in PEERS if known[name])

    def begin_building(self) -> None:
        """Build Pinocchio's C++ beside what is done next: compilers run on cores that nothing is measured on yet."""
        if self.cpp_allowed and self._building is None:
            self._building = ThreadPoolExecutor(1).submit(find_peer, constrained=True)

    @cached_property
    def _cpp(self) -> tuple[PinocchioCpp | None, str]:
        if not self.cpp_allowed:
            return None, "Pinocchio C++ was not asked for"
        return find_peer(constrained=True) if self._building is None else self._building.result()

    def ready(self) -> None:
        """Wait until nothing is being built any more."""
        if self._building is not None:
            self._building.result()

    @property
    def pinocchio(self) -> PinocchioCpp | None:
        return self._cpp[0]

    @cached_property
    def _grbda(self) -> tuple[GrbdaCpp | None, str]:
        return find_grbda(self.grbda_folder)

    @property
    def has_grbda(self) -> bool:
        """Whether somebody said where it is."""
        return self.grbda_folder is not None

    @property
    def grbda(self) -> GrbdaCpp | None:
        return self._grbda[0]

    @property
    def about(self) -> list[str]:
        """A sentence per peer."""
        known = versions()
        said = [self._cpp[1] + (f" (version {known['Pinocchio']})" if self.pinocchio is not None else "")]
        for name in PEERS[1:]:
            said.append(f"{name} {known[name]}" if known[name] else f"{name} is left out: not installed")
        return [*said, self._grbda[1]]


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
