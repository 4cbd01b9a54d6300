"""What is handed out: the archive of sources holds the tests, all of them; workflows may no more than they must."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LEFT_OUT = {".git", "__pycache__", ".gitignore", "build", "dist", ".venv"}
BUILD = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


@pytest.mark.long
def test_the_archive_of_sources_holds_the_tests(tmp_path):
    pytest.importorskip("setuptools")
    copied = tmp_path / "copied"
    ignored = shutil.ignore_patterns(*LEFT_OUT, "*.egg-info", ".*_cache", "reproduced")
    shutil.copytree(ROOT, copied, ignore=ignored)
    subprocess.run([sys.executable, "-c", BUILD, str(tmp_path)], cwd=copied, check=True, capture_output=True)
    [archive] = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.split("/", 1)[1] for name in opened.getnames() if "/" in name}
    wanted = {str(path.relative_to(copied)) for path in copied.rglob("*") if path.is_file()} - {"setup.cfg"}
    missing = {name for name in wanted - names if "egg-info" not in name}
    assert not missing, sorted(missing)[:20]
    assert {"tests/conftest.py", "tests/codegen/conftest.py", "tests/referee.py"} <= names


@pytest.mark.skipif(not WORKFLOWS, reason="only the repository has workflows")
def test_workflows_may_only_read_and_a_release_is_tested_first():
    for path in WORKFLOWS:
        text = path.read_text()
        before_jobs = text[: text.index("\njobs:")]
        assert re.search(r"^permissions:\n  contents: read\n", before_jobs, re.M), path.name
        assert text.count("write") == text.count("id-token: write"), path.name
        assert text.count("uses: actions/checkout@") == text.count("persist-credentials: false"), path.name
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert "uses: ./.github/workflows/tests.yml" in release
    assert re.search(r"wheels:\n    needs: tests\n", release) and re.search(r"publish:\n    needs: wheels\n", release)
