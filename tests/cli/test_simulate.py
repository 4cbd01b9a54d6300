"""`linkwright simulate` and `linkwright bench simulate`, run as a user runs them."""

import json

from test_commands import run


def test_verdict_and_figure(tmp_path):
    figure = tmp_path / "out.png"
    result = run("simulate", "chain:3", "--seconds", "0.5", "--kick", "1", "--integrator", "rk4", "--plot", str(figure))
    assert result.returncode == 0, result.stderr + result.stdout
    assert "Runge-Kutta 4" in result.stdout and "energy" in result.stdout and "steps/s" in result.stdout
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_json_of_a_batch():
    result = run("simulate", "chain:3", "--seconds", "0.2", "--batch", "5", "--kp", "10", "--kd", "1", "--json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["steps"] == 200 and document["complaints"] == [] and document["solver"] == "aba"


def test_what_cannot_be_believed_exits_with_one():
    for dt, message in (("0.004", "energy is off"), ("0.02", "no longer finite")):
        result = run("simulate", "chain:6", "--seconds", "2", "--dt", dt, "--kick", "5", "--integrator", "euler")
        assert result.returncode == 1 and message in result.stdout


def test_refusals_are_one_line():
    for arguments, message in (
        (("simulate", "chain:3", "--dt", "0"), "dt 0.0; expected positive numbers"),
        (("simulate", "nobody"), "nobody"),
        (("simulate", "chain:3", "--integrator", "heun"), "dormand_prince, euler, implicitfast, leapfrog, rk4"),
        (("simulate", "chain:3", "--batch", "3", "--plot", "x.png"), "one simulation"),
        (("simulate", "chain:3", "--threads", "many"), "threads"),
        (("simulate", "chain:3", "--html", "no/such/folder/x.html"), "there is no folder"),
        (("simulate", "chain:3", "--plot", "no/such/folder/x.png"), "there is no folder"),
    ):
        result = run(*arguments)
        assert result.returncode == 1 and "Traceback" not in result.stderr and message in result.stderr


def test_bench_of_simulations():
    result = run("bench", "simulate", "--robots", "four_bar", "--seconds", "0.05", "--json")
    assert result.returncode == 0, result.stderr
    [line] = json.loads(result.stdout)["results"]
    assert line["robot"] == "four_bar" and line["rows"] == 3
    assert line["single"] > line["batched"] > 0 and line["drift"] < 1e-5 < line["mujoco_drift"] < 1e-2


def test_animation_of_a_loop(tmp_path):
    page = tmp_path / "out.html"
    result = run("simulate", "four_bar", "--seconds", "0.5", "--integrator", "rk4", "--html", str(page))
    assert result.returncode == 0, result.stderr
    assert page.read_text().lstrip().lower().startswith("<!doctype html")
