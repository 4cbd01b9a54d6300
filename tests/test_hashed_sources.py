"""What is kept on disk is asked for by the sources that made it: no file that decides anything is left out, wherever it
lies."""

from pathlib import Path

import linkwright
from linkwright.codegen.cache import generating_files
from linkwright.programs.request import _UNREAD, source_files
from test_layers import LAYERS

ROOT = Path(linkwright.__file__).parent


def test_every_layer_up_to_derivatives_is_hashed_but_what_generates_code():
    """Which has a hash of its own."""
    hashed = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in source_files()}
    assert set(LAYERS[: LAYERS.index("derivatives") + 1]) - hashed == {"codegen"}
    assert {path.relative_to(ROOT).parts[0] for path in generating_files()} == {"codegen", "trace"}


def test_whole_folders_are_hashed():
    for files, rooms in ((source_files(), set(LAYERS) - _UNREAD), (generating_files(), {"codegen", "trace"})):
        wanted = [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0].removesuffix(".py") in rooms]
        assert set(wanted) <= set(files)


def test_no_room_that_is_left_out_is_gone():
    """A room that is moved or renamed must be thought of again."""
    assert not [room for room in _UNREAD if not (ROOT / room / "__init__.py").exists()]


def test_what_is_left_out_comes_after_what_is_traced():
    before = set(LAYERS[: LAYERS.index("derivatives") + 1])
    assert _UNREAD & before == {"codegen"}
