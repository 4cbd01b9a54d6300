"""The five walks of docs/architecture.md take no more files than the page says.

As a script it prints them: `python tests/test_walks.py`.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import linkwright as lw

ROOT = Path(lw.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
WALKS = ("Load", "Compile, warm", "Compile, cold", "Call", "Simulate")


def files_of(action: Callable[[], object]) -> list[str]:
    """Files of the library whose functions run, in the order in which they are first entered."""
    found: dict[str, None] = {}

    def entered(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(f"{ROOT}{os.sep}"):
            found[Path(frame.f_code.co_filename).relative_to(ROOT).with_suffix("").as_posix()] = None

    sys.setprofile(entered)
    try:
        action()
    finally:
        sys.setprofile(None)
    return list(found)


def walks() -> dict[str, list[str]]:
    """For chains of three links in JSON files and `aba`, when everything has been imported."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{name}.json" for name in ("known", "new")]
        for file, length in zip(files, (0.3, 0.4), strict=True):
            lw.save(lw.robots.chain(3, length=length), file)
        os.environ["LINKWRIGHT_CACHE"] = folder
        robot = lw.load(files[0])
        aba, state = lw.compile(robot, "aba"), robot.neutral()
        aba(state, state, state)
        lw.simulate(robot, steps=2, dt=0.01)
        again, new = lw.load(files[0]), lw.load(files[1])
        return dict(zip(WALKS, (
            files_of(lambda: lw.load(files[0])), files_of(lambda: lw.compile(again, "aba")),
            files_of(lambda: lw.compile(new, "aba")), files_of(lambda: aba(state, state, state)),
            files_of(lambda: lw.simulate(robot, steps=2, dt=0.01)),
        ), strict=True))  # fmt: skip


@pytest.fixture(scope="module")
def counted() -> dict[str, int]:
    """In a process of its own, which remembers nothing."""
    printed = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True).stdout
    return {name: int(count) for name, count in re.findall(r"^(.+): (\d+)$", printed, re.MULTILINE)}


@pytest.mark.parametrize("name", WALKS)
def test_no_walk_is_longer_than_the_page_says(name, counted):
    stated = re.search(rf"\*\*{name}\*\*[^(]*\((\d+)", PAGE.read_text())
    assert stated, f"docs/architecture.md does not say how many files {name!r} takes"
    assert counted[name] <= int(stated[1])


if __name__ == "__main__":
    for name, files in walks().items():
        print(f"{name}: {len(files)}\n    {', '.join(files)}")
