"""Shared fixtures. Each algorithm test is written once and runs on every backend."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.trace import interpret

sys.path.insert(0, str(Path(__file__).parent))  # the referee


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="also run the long sweeps, marked `long`")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--long"):
        skip = pytest.mark.skip(reason="a long sweep: run with --long")
        for item in items:
            if "long" in item.keywords:
                item.add_marker(skip)


@pytest.fixture(autouse=True, scope="session")
def _private_cache(tmp_path_factory):
    """Tests share a cache of their own, also those in other processes of the run, and leave the user's alone."""
    old = os.environ.get("LINKWRIGHT_CACHE")
    several = "PYTEST_XDIST_WORKER" in os.environ  # then each process has a folder of its own in that of the run
    folder = tmp_path_factory.getbasetemp().parent / "cache" if several else tmp_path_factory.mktemp("cache")
    folder.mkdir(mode=0o700, exist_ok=True)
    os.environ["LINKWRIGHT_CACHE"] = str(folder)
    yield
    if old is None:
        del os.environ["LINKWRIGHT_CACHE"]
    else:
        os.environ["LINKWRIGHT_CACHE"] = old


class Backend:
    """One way of running a named program on a batch of states."""

    def __init__(self, name: str):
        self.name = name
        self.is_compiled = name.startswith("compiled")

    def __call__(self, model, algorithm, arrays, **options):
        """Inputs (B, ...) by name -> the main output."""
        if self.name == "eager":
            return lw.reference(model, algorithm, **options)(**arrays)
        if self.name == "interpreted":
            program = lw.trace_program(model, algorithm, **options)
            return interpret(program, arrays)[program.outputs[0].name]
        function = lw.compile(model, algorithm, **options)
        if self.name == "compiled-simd":
            return function(**arrays)  # the batch sizes used in tests leave a ragged tail
        rows = zip(*arrays.values(), strict=True)
        return np.stack([function(*map(np.ascontiguousarray, row)) for row in rows])


BACKENDS = ("eager", "interpreted", "compiled-single", "compiled-simd")


@pytest.fixture(params=BACKENDS)
def backend(request):
    return Backend(request.param)


@pytest.fixture(params=BACKENDS[:2])
def quick_backend(request):
    """Without a compile per model: for broad random sweeps."""
    return Backend(request.param)


@pytest.fixture
def rng(request):
    """Seeded by the test's name."""
    return np.random.default_rng(list(request.node.name.encode()))
