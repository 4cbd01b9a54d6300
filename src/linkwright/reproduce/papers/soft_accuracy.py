"""[Sathya2024] Figure 3: how accurate soft constraints are, and where their weights cost digits."""

from __future__ import annotations

import numpy as np

from ...compilation import compile as compile_algorithm
from ..contests import consistent_states
from ..item import Check, Figure, Item, Panel, Series, Table, Values
from ..run import Run
from .osim import held
from .statements import about

PAPER = "Sathya2024"
HARD: dict[str, tuple[str, dict]] = {"PV": ("pv", {}), "PV-e": ("pv_early", {}), "LTL": ("ltl", {})}
SOFT: dict[str, tuple[str, dict]] = {
    "PV-s": ("pv_soft", {"mu": "input"}),
    "LTL-s": ("ltl_soft", {"mu": "input"}),
}


def measure_accuracy(run: Run) -> Values:
    robot = run.robots.get(run.pick("talos", "talos", "go1"))
    model = held(robot, run.pick("2F+2H", "2F+2H", "4F3"))
    count = run.pick(1000, 200, 8)
    weights = [10.0**k for k in run.pick(range(2, 14), range(2, 14, 2), (3, 6))]
    rng = np.random.default_rng(0)
    q = model.random_configuration(rng, count)
    v, tau = rng.normal(size=(2, count, model.nv))
    states = consistent_states(model, (q, v, tau))
    residuals: Values = {}
    errors: Values = {}
    reference = None
    for name, (algorithm, options) in HARD.items():
        run.progress(f"{model.name}: {name}")
        result = compile_algorithm(model, algorithm, outputs=("a", "residual"), **options)(*states)
        residuals[name] = _statistics(np.abs(result.residual).reshape(count, -1).max(axis=1))
        reference = result.a if reference is None else reference
        errors[name] = _statistics(np.linalg.norm(result.a - reference, axis=1))
    for name, (algorithm, options) in SOFT.items():
        run.progress(f"{model.name}: {name}")
        solve = compile_algorithm(model, algorithm, outputs=("a", "residual"), **options)
        residuals[name], errors[name] = [], []
        for weight in weights:
            result = solve(*states, np.full((count, model.nc), weight))
            residuals[name].append(_statistics(np.abs(result.residual).reshape(count, -1).max(axis=1)))
            errors[name].append(_statistics(np.linalg.norm(result.a - reference, axis=1)))
    return {
        "robot": f"{robot.title} ({robot.origin})",
        "states": count,
        "weights": weights,
        "residuals": residuals,
        "errors": errors,
    }


def _statistics(x: np.ndarray) -> dict[str, float]:
    return {"median": float(np.median(x)), "least": float(x.min()), "most": float(x.max())}


_EQUALLY = 0.01  # of the residual: what no drawing over twelve decades shows


def judge_accuracy(values: Values) -> list[Check]:
    residuals, errors, weights = values["residuals"], values["errors"], values["weights"]
    hard = max(residuals[n]["median"] for n in HARD)
    soft = {n: [x["median"] for x in residuals[n]] for n in SOFT}
    falling = all(soft[n][0] > 10 * min(soft[n]) for n in SOFT)
    middle = [k for k, w in enumerate(weights) if w <= 1e6]
    equal = max(abs(soft["PV-s"][k] / soft["LTL-s"][k] - 1) for k in middle)
    away = {n: [x["median"] for x in errors[n]] for n in SOFT}
    turning = {n: weights[int(np.argmin(away[n]))] for n in SOFT}
    last = {n: away[n][-1] for n in SOFT}
    grew = all(last[n] > 2 * min(away[n]) for n in SOFT)
    listed = ", ".join(f"{n}: least error at {w:.0e}, {last[n]:.1e} at {weights[-1]:.0e}" for n, w in turning.items())
    return [
        Check(
            "PV, PV-e and LTL satisfy the constraints to a high level of accuracy",
            hard < 1e-8,
            f"largest median of the residuals {hard:.1e}",
        ),
        Check(
            "PV-s and LTL-s have higher residuals, which fall as weights grow",
            falling and soft["PV-s"][0] > 100 * hard,
            ", ".join(f"{n}: {x[0]:.1e} to {min(x):.1e}" for n, x in soft.items()),
        ),
        Check(
            "both satisfy the constraints equally well",
            equal < _EQUALLY,
            f"medians differ by at most {100 * equal:.2g} % up to 1e6",
        ),
        Check(
            "beyond about 1e8 soft and hard accelerations diverge",
            (grew and all(about(w, "1e8") for w in turning.values())) if weights[-1] >= 1e10 else None,
            listed,
        ),
        Check(
            "PV-s is numerically more stable than LTL-s",
            last["PV-s"] < last["LTL-s"] if weights[-1] >= 1e10 else None,
            listed,
        ),
    ]


def show_accuracy(values: Values) -> list:
    weights = values["weights"]
    panels = []
    for key, title in (
        ("residuals", "(a) largest constraint residual"),
        ("errors", "(b) distance of accelerations to PV's"),
    ):
        series = []
        for n in SOFT:
            own = values[key][n]
            series.append(
                Series(
                    n,
                    weights,
                    [x["median"] or None for x in own],
                    low=[x["least"] for x in own],
                    high=[x["most"] for x in own],
                )
            )
        for n in HARD:
            middle = values[key][n]["median"]
            series.append(Series(n, weights, [middle or None] * len(weights), "peer"))
        panels.append(Panel(title, series, "weight", "median and extremes", True, True))
    rows = [[n, None, values["residuals"][n]["median"], values["errors"][n]["median"]] for n in HARD]
    rows += [
        [n, w, values["residuals"][n][k]["median"], values["errors"][n][k]["median"]]
        for n in SOFT
        for k, w in enumerate(weights)
    ]
    return [
        Figure(f"{values['robot']}, feet and hands held, {values['states']} states", panels),
        Table("Medians", ["solver", "weight", "residual", "distance to PV"], rows),
    ]


ITEMS = (
    Item(
        PAPER,
        "figure-3",
        "accuracy of the soft Gauss principle",
        "Hard solvers satisfy constraints to high accuracy; soft ones less, equally well, better with larger "
        "weights; beyond "
        "about 1e8 their accelerations diverge from the hard ones', PV-soft's less than LTL-soft's.",
        "Figure 3, Sec. IX-C",
        measure_accuracy,
        judge_accuracy,
        show_accuracy,
        robots=("talos", "go1"),
    ),
)
