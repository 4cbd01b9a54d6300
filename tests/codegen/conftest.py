"""Tests compile into a cache of their own."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # `programs`


@pytest.fixture(autouse=True, scope="session")
def private_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache") / "linkwright"))
        yield
