"""The documentation's code runs, and what it says it prints is what is printed."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
README = Path(__file__).parent.parent / "README.md"


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)


RUN = ("tracing-tutorial.md", "graphs.md", "files.md", "clusters.md", "delassus.md", "derivatives.md", "doors.md")
PAGES = [*(DOCS / name for name in RUN), README]


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_code_blocks_run(path, capsys, tmp_path, monkeypatch):
    if not path.exists():
        pytest.skip("an installed copy has no documents")
    monkeypatch.chdir(tmp_path)  # what a page writes
    scope: dict = {"__name__": "tutorial"}
    for block in blocks(path, "python"):
        exec(compile(block, str(path), "exec"), scope)
    printed = capsys.readouterr().out
    for text in blocks(path, "text"):
        if text.startswith("program "):
            assert text in printed


def test_links_between_documents_lead_somewhere():
    for page in [*DOCS.glob("*.md"), README]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
