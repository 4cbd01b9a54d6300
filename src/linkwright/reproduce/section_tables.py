"""What README and documents show of the record: one function per table or sentence, a function of its section alone.

A page names them in comments, `<!-- measured: tree -->` ... `<!-- end -->`; what stands between is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from .sections import Section

Shown = Callable[[Section], str]
_ROBOTS = {
    "talos": "Talos", "g1": "G1", "simple_humanoid": "simple humanoid", "icub": "iCub", "solo12": "Solo12",
    "go1": "Go1", "go2": "Go2", "a1": "A1", "anymal_c": "ANYmal C", "cassie": "Cassie", "panda": "Panda",
    "four_bar": "four-bar", "slider_crank": "slider-crank", "jansen_leg": "Jansen's leg", "delta_robot": "delta robot",
    "stewart_platform": "Stewart platform", "digit_like": "Digit-like biped on welded feet",
    "mit_humanoid": "MIT Humanoid", "mini_cheetah": "Mini Cheetah", "rotor_humanoid": "humanoid with rotors",
    "tello": "Tello-like humanoid", "geared_chain:12": "chain of 12, geared", "belt_chain:12": "chain of 12, belts",
}  # fmt: skip
_TREE_ROWS = {
    "talos": ("aba", "rnea", "crba"), "g1": ("aba", "rnea"), "simple_humanoid": ("aba", "rnea"), "icub": ("aba",),
    "solo12": ("aba",), "go1": ("aba",), "panda": ("aba",),
}  # fmt: skip
_HELD = {
    "talos 2F6 2H6": "Talos, feet and hands welded", "hands 2F6 10T3": "humanoid on its feet, ten fingertips held",
    "solo12 4F3": "Solo12 on four feet", "panda H6": "Panda, hand welded",
}  # fmt: skip
_LOOPED = {
    "two hands + cube": "two Allegro hands and a cube", "humanoid + cube + feet": "humanoid with a cube, feet welded",
    "biped": "biped with six loops, standing", "two bipeds + box": "two such bipeds carrying a box",
    "jansen_beast": "Jansen beast of twelve legs", "stewart_platform": "Stewart platform",
}  # fmt: skip


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def digits(x: float | None) -> str:
    """Three of them: what a clock is good for."""
    if x is None:
        return "-"
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}" if x >= 0.1 else f"{x:.3f}"


def times(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.1f}x"


def tiny(x: float | None) -> str:
    return "-" if x is None else f"{x:.0e}"


def titled(robot: str) -> str:
    return _ROBOTS.get(robot, robot)


def tree(section: Section) -> str:
    rows = []
    for robot, algorithms in _TREE_ROWS.items():
        for k, algorithm in enumerate(algorithms):
            r = section.row(robot=robot, algorithm=algorithm)
            name = f"{_ROBOTS[robot]} ({r['dof']})" if not k else ""
            own = [f"{digits(r[how])} ({times(r[f'ratio_{how}'])})" for how in ("single", "batched")]
            rows.append([name, algorithm.upper(), digits(r["pinocchio_cpp"]), *own])
    batch = section.content["batch"]
    return markdown(["robot (dof)", "", "Pinocchio C++", "ours, single call", f"ours, in a batch of {batch}"], rows)


def constrained(section: Section) -> str:
    rows = []
    for system, title in _HELD.items():
        r = section.row(system=system)
        ours = next(t for t in r["ours"] if t["algorithm"] == "constrained_aba")
        peers = [r["peers"].get(f"pinocchio {name}") for name in ("lcaba", "prox_ltl")]
        own = [_beside(ours[how], peers) for how in ("single", "batched")]
        rows.append([f"{title} ({r['dof']}, {r['rows']})", ", ".join(map(digits, peers)), *own, tiny(ours["error"])])
    return markdown(_columns("constrainedABA", section), rows)


def loops(section: Section) -> str:
    """One iteration and three, each with what it leaves as error; of Pinocchio's too, where that was recorded."""
    rows = []
    theirs = all("peer_errors" in r for r in section.results)
    for system, title in _LOOPED.items():
        r = section.row(system=system)
        for count in (1, 3):
            ours = next(t for t in r["ours"] if t["algorithm"] == "lcaba" and t["iterations"] == count)
            peers = [r["peers"].get(f"{name} {count}") for name in ("lcaba", "prox_ltl")]
            own = [_beside(ours[how], peers) for how in ("single", "batched")]
            name = f"{title} ({r['dof']}, {r['rows']})" if count == 1 else ""
            left = [r["peer_errors"].get(f"{n} {count}") for n in ("lcaba", "prox_ltl")] if theirs else []
            beside = [", ".join("-" if x is None else tiny(x) for x in left)] if theirs else []
            rows.append([name, str(count), ", ".join(map(digits, peers)), *own, tiny(ours["error"]), *beside])
    columns = _columns("LCABA", section) + (["errors of Pinocchio's"] if theirs else [])
    return markdown([columns[0], "iterations", *columns[1:]], rows)


def _columns(name: str, section: Section) -> list[str]:
    batch = section.content["batch"]
    peers = "`lcaba`, `constraintDynamics`"
    return ["system (dof, rows)", peers, f"{name}, single call", f"in a batch of {batch}", "error"]


def _beside(own: float, peers: Sequence[float | None]) -> str:
    ratios = ", ".join(times(None if peer is None else peer / own) for peer in peers)
    return f"{digits(own)} ({ratios})"


def clusters(section: Section) -> str:
    names = {
        "cluster_aba": "C-ABA", "projection": "projection", "lagrange": "multipliers", "cluster_rnea": "C-RNEA",
        "projected_rnea": "projected RNEA",
    }  # fmt: skip
    rows = []
    for robot in dict.fromkeys(r["robot"] for r in section.results):
        of = {r["algorithm"]: r for r in section.results if r["robot"] == robot}
        own = [f"{digits(of[name]['single'])}, {digits(of[name]['batched'])}" for name in names]
        rows.append([f"{titled(robot)} ({of['cluster_aba']['dof']})", *own])
    return markdown(["robot (dof)", *names.values()], rows)


def simulate(section: Section) -> str:
    rows = [
        [
            titled(r["robot"]), str(r["dof"]), str(r["rows"]), digits(r["single"]), digits(r["batched"]),
            digits(r["mujoco_step"]), digits(r["mujoco_rollout"]), times(r["ratio_single"]), times(r["ratio_batched"]),
            tiny(r["drift"]), tiny(r["mujoco_drift"]),
        ]
        for r in section.results
    ]  # fmt: skip
    columns = [
        "mechanism", "dof", "rows", "single", f"in a batch of {section.content['batch']}", "`mj_step`", "`rollout`",
        "single", "batched", "drift", "MuJoCo's",
    ]  # fmt: skip
    return markdown(columns, rows)


def contact(section: Section) -> str:
    rows = [
        [
            f"{titled(r['robot'])}, {r['states']}", f"{r['touching']:.1f} of {r['points']}",
            digits(r["single"]), digits(r["batched"]), digits(r["mujoco_step"]), digits(r["mujoco_rollout"]),
            times(r["ratio_single"]), times(r["ratio_batched"]), tiny(r["error"]), tiny(r["mujoco_error"]),
        ]
        for r in section.results
    ]  # fmt: skip
    columns = [
        "robot", "touching", "single", f"in a batch of {section.content['batch']}", "`mj_step`", "`rollout`", "single",
        "batched", "error", "MuJoCo's",
    ]  # fmt: skip
    return markdown(columns, rows)


def derivatives(section: Section) -> str:
    rows = []
    for r in section.results:
        peer = r["pinocchio_cpp"] or r["pinocchio_python"]
        which = "" if r["pinocchio_cpp"] else " (Python)"
        own = [f"{digits(r[how])} ({times(r[f'ratio_{how}'])})" for how in ("single", "batched")]
        name = f"{titled(r['robot'])} ({r['dof']})"
        rows.append([name, r["algorithm"], digits(peer) + which, *own, digits(r["gradient"])])
    columns = ["robot (dof)", "Jacobian of", "Pinocchio", "single call", f"in a batch of {section.content['batch']}"]
    return markdown([*columns, "one gradient"], rows)


def compiling(section: Section) -> str:
    last = section.results[-1]
    return (
        f"Compiling ABA of a chain of {last['links']} links takes {digits(last['first_seconds'])} s the first time and "
        f"{digits(last['warm_seconds'])} s from the cache."
    )


def reproduced(section: Section) -> str:
    """Every item, its verdict, and of what does not hold the numbers and the reason."""
    rows = []
    for r in section.results:
        checks = r["checks"]
        held = sum(c["holds"] is True for c in checks)
        no = [c for c in checks if c["holds"] is False]
        told = [f"{c['statement']}: **no**. {c['finding']}. {c['reason']}".strip() for c in no]
        told += [f"{c['statement']}: not judged. {c['reason']}".strip() for c in checks if c["holds"] is None]
        text = "<br>".join(told) if told else "; ".join(c["finding"] for c in checks)
        item = f"{r['item']}, {r['title']} ({r['size']})"
        rows.append([item, f"{r['verdict']}, {held} of {len(checks)}", text.replace("|", "\\|").replace("\n", " ")])
    return markdown(["item", "verdict, checks that hold", "what does not hold, or the numbers"], rows)


SHOWN: dict[str, tuple[str, Shown]] = {
    "tree": ("tree", tree), "constrained": ("constrained", constrained), "loops": ("loops", loops),
    "clusters": ("clusters", clusters), "simulate": ("simulate", simulate), "contact": ("contact", contact),
    "derivatives": ("derivatives", derivatives), "compile": ("compile", compiling),
    "reproduce": ("reproduce", reproduced),
}  # fmt: skip
"""Name in a page's comment -> (section it is made of, what makes it)."""
