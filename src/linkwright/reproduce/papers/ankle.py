"""[Chignoli2023] Figure 14: what neglecting or approximating rotors costs in the MIT Humanoid's ankle torque."""

from __future__ import annotations

from ...bench.ankle_torque import AMPLITUDE, FREQUENCY
from ...bench.ankle_torque import measure as measure_torque
from ..item import Check, Figure, Item, Panel, Series, Table, Values
from ..run import Run
from .statements import SIGNIFICANT, meets

PAPER = "Chignoli2023"
# Root mean square errors in N m and in percent of the largest torque.
QUOTED = {"unconstrained": (4.31, 39.2), "diagonal": (1.04, 9.5)}


def measure(run: Run) -> Values:
    run.progress("ankle torque")
    leg = run.robots.get("mit_humanoid_leg")
    largest, errors, torques = measure_torque(run.pick(2000, 2000, 100), leg.model, leg.frames["tips"][0])
    every = max(1, len(torques["time"]) // 200)
    return {
        "largest": largest,
        "errors": {e.variant: {"rms": e.rms, "percent": e.percent} for e in errors},
        "torques": {name: x[::every].tolist() for name, x in torques.items()},
    }


def judge(values: Values) -> list[Check]:
    e = values["errors"]
    text = (
        ", ".join(f"{n}: {x['rms']:.2f} N m, {x['percent']:.1f} %" for n, x in e.items())
        + f"; largest torque {values['largest']:.2f} N m"
    )
    return [
        Check(
            "neglecting the rotors' constraints gives larger errors than approximating them",
            e["unconstrained"]["percent"] > SIGNIFICANT * e["diagonal"]["percent"],
            text,
        ),
        *(
            Check(
                f"{how} them: {printed} % of the largest torque",
                meets(e[variant]["percent"], printed),
                text,
                "" if meets(e[variant]["percent"], printed) else REASON,
            )
            for how, variant, printed in (("neglecting", "unconstrained", "39.2"), ("approximating", "diagonal", "9.5"))
        ),
    ]


REASON = (
    "The comparison is unfair: the paper gives neither the leg's numbers nor which reflected inertia its "
    "approximation keeps, and its largest torque, 11 N m, is four times ours. That is not our leg's fault: with the "
    "one that the authors publish with their library (--robot mit_humanoid_leg=FILE) it is 2.71 N m, and errors are "
    "58.5 % and 30.4 %. Keeping the couplings of the belts (block) errs less than the paper's approximation, "
    "keeping the diagonal alone errs more."
)


def show(values: Values) -> list:
    t = values["torques"]
    series = [Series(name, t["time"], own) for name, own in t.items() if name != "time"]
    rows = [[n, x["rms"], x["percent"], *QUOTED.get(n, (None, None))] for n, x in values["errors"].items()]
    return [
        Figure(
            f"Ankle torque, A = {AMPLITUDE} rad, w = {FREQUENCY} turns a second",
            [Panel("", series, "seconds", "N m")],
            1,
        ),
        Table(
            "Root mean square errors",
            ["variant", "N m", "percent of the largest", "paper: N m", "paper: percent"],
            rows,
        ),
    ]


ITEMS = (
    Item(
        PAPER,
        "figure-14",
        "ankle torque with rotors approximated or neglected",
        "Neglecting rotors gives a root mean square error of 4.31 N m (39.2 % of the largest torque), approximating "
        "them 1.04 N m (9.5 %).",
        "Figure 14, Sec. IX-B",
        measure,
        judge,
        show,
        robots=("mit_humanoid_leg",),
    ),
)
