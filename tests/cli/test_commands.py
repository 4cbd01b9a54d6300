"""The command line, run as a user runs it."""

import json
import os
import subprocess
import sys

import pytest

import linkwright as lw


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "linkwright", *arguments], capture_output=True, text=True, timeout=300,
        env={**os.environ, "COLUMNS": "160", **environment},
    )  # fmt: skip


def test_robots_and_algorithms():
    listed = run("robots").stdout
    assert "humanoid" in listed and "talos" in listed
    assert "constrained_aba" in run("algorithms").stdout
    one = run("algorithms", "lcaba").stdout
    assert "rank_tolerance" in one and "(nbodies, 6)" in one
    assert "'lcaba'" in run("algorithms", "lcba").stderr


def test_bench_tree_as_json():
    options = ("--algorithms", "rnea", "--seconds", "0.05", "--no-cpp", "--json")
    result = run("bench", "tree", "--robots", "chain:3", *options)
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    [line] = document["results"]
    assert line["robot"] == "chain:3" and line["single"] > 0 and line["batched"] > 0 and line["ratio_single"] is None


def test_bench_tree_as_table():
    result = run("bench", "tree", "--robots", "chain:3", "--algorithms", "crba", "--seconds", "0.05", "--no-cpp")
    assert result.returncode == 0 and "chain:3" in result.stdout and "crba" in result.stdout


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("demo", "--robot", "humanoit"), "humanoid"),
        (("bench", "tree", "--robots", "nobody", "--no-cpp"), "nobody"),
        (("bench", "trust", "--classes", "toggle"), "toggles"),
        (("bench", "trust", "--solvers", "lcba"), "lcaba"),
        (("bench", "trust", "--json", "no/such/folder.json"), "no folder"),
        (("bench", "tree", "--robots", "chain:2", "--algorithms", "abba", "--no-cpp"), "aba"),
    ],
)
def test_errors_are_one_line(arguments, message):
    result = run(*arguments)
    assert result.returncode != 0
    assert "Traceback" not in result.stderr and message in result.stderr


def test_version():
    result = run("--version")
    assert result.returncode == 0 and result.stdout.strip() == f"linkwright {lw.__version__}"


@pytest.mark.parametrize("command", ["convergence", "compile", "loops"])
def test_figures_that_cannot_be_written_are_refused_before_measuring(command, tmp_path):
    """All of these measure for minutes by default."""
    for file, words in ((tmp_path / "no" / "f.svg", "is not there"), (tmp_path / "f.doc", ".svg")):
        result = run("bench", command, "--plot", str(file))
        assert result.returncode == 1 and words in result.stderr.replace("\n", "")
    (tmp_path / "sitecustomize.py").write_text(  # as if it were not installed
        "import importlib.util, sys\nfound = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'matplotlib' else found(name, *rest)\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    result = run("bench", command, "--plot", str(tmp_path / "f.svg"), PYTHONPATH=path)
    assert result.returncode == 1 and "linkwright[plot]" in result.stderr


def test_bench_compile(tmp_path):
    figure = tmp_path / "compile.svg"
    result = run("bench", "compile", "--links", "2,4", "--plot", str(figure), "--json")
    assert result.returncode == 0, result.stderr
    assert [line["links"] for line in json.loads(result.stdout)["results"]] == [2, 4]
    assert figure.read_text().lstrip().startswith("<?xml")


@pytest.mark.parametrize("command, algorithm", [("constrained", "pv_soft"), ("delassus", "pv_osimr")])
def test_bench_of_constrained_systems(command, algorithm):
    name = "--solvers" if command == "constrained" else "--algorithms"
    options = ("--systems", "hands 2F6", name, algorithm, "--seconds", "0.05", "--no-cpp", "--json")
    result = run("bench", command, *options)
    assert result.returncode == 0, result.stderr
    [system] = json.loads(result.stdout)["results"]
    assert (system["dof"], system["rows"]) == (84, 12) and system["ours"][0]["algorithm"] == algorithm
    assert "hands 2F6" in run("bench", command, "--systems", "nothing").stderr


def test_bench_of_delassus_on_loops():
    """Those that take none are left out; the operator is measured stage by stage."""
    quick = ("--seconds", "0.05", "--no-cpp", "--json")
    chosen = ("--systems", "stewart_platform", "--algorithms", "pv_osim,pv_osimr,delassus_operator")
    result = run("bench", "delassus", *chosen, *quick)
    assert result.returncode == 0, result.stderr
    [system] = json.loads(result.stdout)["results"]
    measured = [line["algorithm"] for line in system["ours"]]
    assert measured == ["pv_osim", "operator factor", "operator product", "operator solve"]


def test_brackets_in_messages_survive(tmp_path):
    """Rich would take [robots] for markup and drop it."""
    broken = tmp_path / "[bold]robot.urdf"
    broken.write_text("<robot><link name='[red]'/><joint name='j' type='what'/></robot>")
    result = run("demo", "--robot", str(broken))
    assert result.returncode == 1 and "[bold]robot.urdf" in result.stderr


def test_bench_loops(tmp_path):
    quick = ("--seconds", "0.02", "--no-cpp")
    result = run("bench", "loops", "--systems", "four_bar", "--algorithms", "lcaba", *quick, "--json")
    assert result.returncode == 0, result.stderr
    [system] = json.loads(result.stdout)["results"]
    assert (system["dof"], system["rows"]) == (3, 3) and [t["iterations"] for t in system["ours"]] == [1, 3]
    figure = tmp_path / "loops.svg"
    result = run("bench", "loops", "--plot", str(figure), "--systems", "ring", "--links", "8,12", *quick)
    assert result.returncode == 0, result.stderr
    assert "ring" in result.stdout and figure.read_text().lstrip().startswith("<?xml")
    assert "two hands + cube" in run("bench", "loops", "--systems", "nothing").stderr
    assert "chain of loops" in run("bench", "loops", "--plot", str(figure), "--systems", "nothing").stderr
    assert "--plot" in run("bench", "loops", "--links", "12").stderr


def test_bench_trust(tmp_path):
    file = tmp_path / "trust.json"
    options = ("--states", "16", "--classes", "toggles,ground", "--solvers", "lcaba,ltl", "--runs", "reference")
    result = run("bench", "trust", *options, "--worst", "1", "--json", str(file))
    assert result.returncode == 0, result.stderr
    assert "toggles" in result.stdout and "ok but" in result.stdout and "recheck" in result.stdout
    assert {line["solver"] for line in json.loads(file.read_text())["results"]} == {"lcaba", "ltl"}
