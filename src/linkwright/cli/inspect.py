"""`linkwright inspect`: a page about a mechanism."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import asdict

import typer
from rich.console import Console, Group
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

import linkwright as lw

from ..algorithms.contact.watching import overlapping_as_drawn, watched_pairs, with_told_pairs
from ..analysis import AlgorithmCost, Inspection, algorithm_costs, cheapest, inspect
from ..analysis.contact_costs import ContactCosts, contact_costs
from ..viewer.looks import meshes_not_drawn
from .output import plain, shown_by_command, table_console

_MANY = 24  # rows of a table that are shown without --all


def inspect_command(
    robot: str = typer.Argument(..., help="A name that `linkwright robots` lists, or a file."),
    floating_base: bool | None = typer.Option(None, help="Whether a URDF's root link moves freely."),
    ignore: str = typer.Option("", help="What the file may say and be loaded without: fluid,plugin,tendon ..."),
    times: bool = typer.Option(True, help="Compile and time the algorithms; without, count their operations only."),
    seconds: float = typer.Option(0.2, min=0.001, max=60, help="How long to measure each algorithm."),
    everything: bool = typer.Option(False, "--all", help="Show every body and every step of the elimination."),
    svg: str = typer.Option("", help="Write a picture of the kinematic graph to this file."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a page."),
) -> None:
    """Bodies, loops, mobility, redundancy, elimination order, and what every suitable algorithm costs."""
    console = table_console(stderr=as_json)  # JSON has standard output to itself
    words = tuple(word.strip() for word in ignore.split(",") if word.strip())
    model = shown_by_command(robot, floating_base=floating_base, ignore=words)
    found = inspect(model)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) if console.is_terminal else nullcontext() as progress:
        if progress is None:
            costs = algorithm_costs(model, times=times, seconds=seconds, report=found.mobility)
        else:
            task = progress.add_task("")
            costs = algorithm_costs(
                model, times=times, seconds=seconds, report=found.mobility,
                progress=lambda step: progress.update(task, description=step),
            )  # fmt: skip
        touching = contact_costs(model) if model.pairs else None
    if svg:
        lw.viewer.graph_svg(model, svg)
    if as_json:
        page = {**as_dictionary(found, costs, touching), "meshes_not_drawn": meshes_not_drawn(model)}
        json.dump(page, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    _print_page(console, found, costs, everything, touching)
    missing = meshes_not_drawn(model)
    for line in missing if everything else missing[:_MANY]:
        console.print(f"not drawn as its file says: {plain(line)}", highlight=False, soft_wrap=True)
    if svg:
        console.print(f"picture of the graph: {plain(svg)}", highlight=False, soft_wrap=True)


def as_dictionary(found: Inspection, costs: list[AlgorithmCost], touching: ContactCosts | None = None) -> dict:
    """The page as plain data."""
    model, best = found.model, cheapest(costs)
    return {
        "name": model.name,
        "nq": model.nq,
        "nv": model.nv,
        "rows": model.nc,
        "mass": model.mass,
        "bodies": [
            {
                "name": body.name, "parent": model.bodies[body.parent].name, "joint": body.joint.name,
                "kind": body.joint.kind, "mass": body.inertia.mass,
            }
            for body in model.bodies[1:]
        ],
        "mobility": {
            "grubler": found.mobility.grubler, "rank": found.mobility.rank, "mobility": found.mobility.mobility,
            "redundancy": found.mobility.redundancy, "redundant": list(found.mobility.redundant),
            "nearby": None if found.nearby is None else found.nearby.mobility, "singular": found.singular,
        },
        "closed": found.closed,
        "loops": [
            {
                "constraint": loop.constraint, "rows": loop.rows, "bodies": list(loop.bodies),
                "joints": list(loop.joints), "root": loop.root, "why": found.cuts[loop.constraint],
                "error": check.error,
            }
            for loop, check in zip(found.loops, found.checks, strict=True)
        ],
        "groups": [[loop.constraint for loop in group] for group in found.loops.groups],
        "elimination": [{"body": body, "neighbours": list(neighbours)} for body, neighbours in found.elimination],
        "clusters": found.clusters if isinstance(found.clusters, str) else [
            {"bodies": list(c.bodies), "constraints": list(c.constraints), "independent": list(c.independent)}
            for c in found.clusters
        ],
        "algorithms": [
            {
                "name": cost.name, "operations": cost.operations, "single": cost.single, "batched": cost.batched,
                "exact": cost.exact, "problem": cost.problem, "cheapest": cost is best,
                "chosen": cost.chosen,
            }
            for cost in costs
        ],
        "shapes": [{"name": shape.name, "kind": shape.kind, "on": shape.on} for shape in model.shapes],
        "contacts": None if touching is None else asdict(touching),
        "watched": [list(pair) for pair in watched_pairs(model)],
        "overlap_as_drawn": [list(pair) for pair in overlapping_as_drawn(model)],
        "passive": [element.to_dictionary() for element in model.passive],
        "actuators": [one.to_dictionary() for one in model.actuators],
        "keyframes": list(model.keyframes),
        "not_computed": [entry.to_dictionary() for entry in with_told_pairs(model).not_computed],
        "ignored": list(model.ignored),
        "simulation": model.simulation.to_dictionary(),
        "warnings": list(model.warnings),
    }  # fmt: skip


def _print_page(
    console: Console, found: Inspection, costs: list[AlgorithmCost], everything: bool, touching: ContactCosts | None
) -> None:
    model = found.model
    console.print(Text(model.name, style="bold"), Text(f" {model.nbodies - 1} bodies, {model.mass:.4g} kg"), sep="")
    for warning in model.warnings if everything else model.warnings[:5]:
        console.print(f"[yellow]warning:[/] {plain(warning)}", highlight=False)
    if len(model.warnings) > 5 and not everything:
        console.print(f"[yellow]and {len(model.warnings) - 5} more warnings[/] (--all shows them)", highlight=False)
    every = with_told_pairs(model).not_computed
    missing = every if everything else every[:_MANY]
    for entry in missing:
        told = f"[yellow]ignored:[/] {plain(entry.word)}:" if entry.ignored else "[bold yellow]not computed:[/]"
        console.print(f"{told} {plain(str(entry))}", highlight=False)
    for text in _rest(len(every) - len(missing), "things that are not computed"):
        console.print(text)
    if model.simulation.to_dictionary():
        told = ", ".join(f"{key} {value}" for key, value in model.simulation.to_dictionary().items())
        console.print(f"[yellow]note:[/] the file wants to be simulated with {plain(told)}", highlight=False)
    if model.passive:
        kinds = [element.kind.replace("_", " ") for element in model.passive]
        told = ", ".join(f"{kinds.count(kind)} x {kind}" for kind in dict.fromkeys(kinds))
        console.print(f"[yellow]note:[/] acting of itself: {plain(told)}", highlight=False)
    for mimic in model.mimics:
        follows = f"{mimic.joint} follows {mimic.leader} ({mimic.multiplier:g} q + {mimic.offset:g})"
        console.print(f"[yellow]note:[/] {plain(follows)} in the file; the dynamics do not apply it", highlight=False)
    console.print(_bodies(found, everything))
    if model.actuators:
        console.print(_actuators(found, everything))
    if model.tendons:
        console.print(_tendons(found, everything))
    if touching is not None:
        console.print(_contacts(found, touching))
    console.print(_freedom(found))
    if model.constraints:
        console.print(_loops(found))
        console.print(_elimination(found, everything))
        console.print(_clusters(found))
    console.print(_costs(costs))


def _bodies(found: Inspection, everything: bool) -> Group:
    model = found.model
    table = Table(title="bodies and joints", title_justify="left")
    for heading in ("", "body", "carried by", "joint", "kind", "dof", "kg"):
        table.add_column(heading, justify="right" if heading in ("", "dof", "kg") else "left")
    shown = model.nbodies - 1 if everything else min(_MANY, model.nbodies - 1)
    for i, body in enumerate(model.bodies[1 : shown + 1], start=1):
        table.add_row(
            str(i), plain(body.name), plain(model.bodies[body.parent].name), plain(body.joint.name),
            plain(body.joint.kind), str(body.joint.nv), f"{body.inertia.mass:.4g}",
        )  # fmt: skip
    return Group(table, *_rest(model.nbodies - 1 - shown, "bodies"))


def _actuators(found: Inspection, everything: bool) -> Group:
    model = found.model
    table = Table(title="actuators", title_justify="left")
    for heading in ("", "actuator", "joints", "state", "commands", "forces"):
        table.add_column(heading, justify="right" if heading == "" else "left")
    shown = model.nu if everything else min(_MANY, model.nu)
    for k, one in enumerate(model.actuators[:shown]):
        ranges = ["any" if x is None else f"{x[0]:.4g} to {x[1]:.4g}" for x in (one.ctrl_range, one.force_range)]
        joints = ", ".join(joint for joint, _ in one.drives)
        table.add_row(str(k), plain(one.name), plain(joints), one.activation or "", *ranges)
    return Group(table, *_rest(model.nu - shown, "actuators"))


def _tendons(found: Inspection, everything: bool) -> Group:
    table = Table(title="tendons", title_justify="left")
    for heading in ("tendon", "length", "spring", "damper", "friction", "limits"):
        table.add_column(heading)
    tendons = found.model.tendons
    shown = tendons if everything else tendons[:_MANY]
    for one in shown:
        length = " + ".join(f"{ratio:.4g} {joint}" for joint, ratio in one.ratios)
        rests = f"{one.shortest:.4g}" + ("" if one.shortest == one.longest else f" to {one.longest:.4g}")
        spring = f"{one.stiffness:.4g}, rests at {rests}" if one.stiffness else ""
        bounds = f"{one.lower:.4g} to {one.upper:.4g}" if one.limited else ""
        resists = (f"{x:.4g}" if x else "" for x in (one.damping, one.friction))
        table.add_row(plain(one.name), plain(length), spring, *resists, bounds)
    return Group(table, *_rest(len(tendons) - len(shown), "tendons"))


def _contacts(found: Inspection, touching: ContactCosts) -> Group:
    model = found.model
    table = Table(title="contacts", title_justify="left")
    for heading in ("", "condim", "pairs", "points", "operations each", "first of them"):
        table.add_column(heading, justify="left" if heading in ("", "first of them") else "right")
    for cost in touching.pairs:
        table.add_row(
            plain(" with ".join(cost.kinds)), str(cost.condim), str(len(cost.pairs)), str(cost.points),
            f"{cost.operations:,}", plain(cost.pairs[0]),
        )  # fmt: skip
    watched = len(watched_pairs(model))
    told = f"contact_dynamics takes {touching.total:,} operations, {touching.without:,} where nothing can touch"
    if watched:
        told += f"; looking at {watched} pairs that are not computed takes {touching.watching:,} of them (status 6)"
    return Group(table, Text(told, style="dim"))


def _rest(count: int, what: str) -> list[Text]:
    return [Text(f"... and {count} more {what} (--all shows them)", style="dim")] if count > 0 else []


def _freedom(found: Inspection) -> Group:
    m = found.mobility
    counted = f"  {m.dof} dof, {m.rows} constraint rows"
    lines = [Text.assemble(("mobility ", "bold"), (str(m.mobility), "bold green"), counted)]
    if m.rows:
        lines.append(Text(f"  by counting (Grubler) {m.grubler}; rank of the constraints at the drawn pose {m.rank}"))
        if m.redundancy:
            among = ", ".join(m.redundant)
            lines.append(Text(f"  {m.redundancy} rows are redundant there, among: {among}", style="yellow"))
        if found.singular and found.nearby is not None:
            there = f"rank {found.nearby.rank}, mobility {found.nearby.mobility}"
            lines.append(Text(f"  the drawn pose is special: at a closed pose nearby {there}", style="yellow"))
        errors = [check for check in found.checks if not check.closed]
        if not errors:
            worst = max((check.error or 0.0 for check in found.checks), default=0.0)
            lines.append(Text(f"  the drawn pose is closed (largest error {worst:.1e})"))
        else:
            listed = ", ".join(f"{check.name} {check.error:.3g}" for check in errors[:8])
            lines.append(Text(f"  the drawn pose is not closed: {listed}", style="yellow"))
    return Group(*lines)


def _loops(found: Inspection) -> Group:
    table = Table(title="loops", title_justify="left")
    for heading in ("group", "closed by", "rows", "root", "around", "why here"):
        table.add_column(heading, justify="right" if heading in ("group", "rows") else "left")
    for number, group in enumerate(found.loops.groups, start=1):
        for loop in group:
            around = " - ".join(loop.bodies) if len(loop.bodies) <= 8 else f"{len(loop.bodies)} bodies"
            table.add_row(
                str(number), plain(loop.constraint), str(loop.rows), plain(loop.root), plain(around),
                plain(found.cuts[loop.constraint]),
            )  # fmt: skip
        table.add_section()
    return Group(table, Text("loops of one group share joints", style="dim"))


def _elimination(found: Inspection, everything: bool) -> Group:
    counts = [len(neighbours) for _, neighbours in found.elimination]
    table = Table(title="elimination order of LCABA", title_justify="left")
    for heading in ("step", "link", "neighbours then", ""):
        table.add_column(heading, justify="right" if heading in ("step", "neighbours then") else "left")
    steps = [(k, body, neighbours) for k, (body, neighbours) in enumerate(found.elimination, start=1)]
    coupled = steps if everything else [step for step in steps if step[2]][:_MANY]
    for k, body, neighbours in coupled:
        table.add_row(str(k), plain(body), str(len(neighbours)), plain(", ".join(neighbours)))
    tally = {n: counts.count(n) for n in sorted(set(counts))}
    summary = ", ".join(f"{count} links with {n}" for n, count in tally.items())
    return Group(table, Text(f"neighbours: {summary}", style="dim"))


def _clusters(found: Inspection) -> Group | Text:
    if isinstance(found.clusters, str):
        return Text(f"no clusters: {found.clusters}", style="dim")
    table = Table(title="clusters (for cluster_aba and its kin)", title_justify="left")
    for heading in ("bodies", "constraints", "independent joints"):
        table.add_column(heading)
    for cluster in found.clusters:
        columns = (cluster.bodies, cluster.constraints, cluster.independent)
        table.add_row(*(plain(", ".join(names)) for names in columns))
    single = found.model.nbodies - 1 - sum(len(cluster.bodies) for cluster in found.clusters)
    return Group(table, Text(f"the other {single} bodies are clusters of their own", style="dim"))


def _costs(costs: list[AlgorithmCost]) -> Group:
    table = Table(title="forward dynamics: microseconds per sample", title_justify="left")
    for heading in ("algorithm", "operations", "one a call", "in a batch", ""):
        table.add_column(heading, justify="left" if heading in ("algorithm", "") else "right")
    best = cheapest(costs)
    for cost in costs:
        if cost.problem is None:
            note = "[bold green]cheapest[/]" if cost is best else ""
            note += f"{', ' if note else ''}[green]taken unless another is named[/]" if cost.chosen else ""
            note = note if cost.exact else f"[dim]approximate: {plain(cost.approximate)}[/]"
            if cost.independent:
                note += " [dim]independent coordinates; closes its loops itself[/]"
            numbers = [f"{cost.operations:,}", *("-" if t is None else f"{t:.2f}" for t in (cost.single, cost.batched))]
            table.add_row(cost.name, *numbers, note, style="bold" if cost is best else "")
    refused = [cost for cost in costs if cost.problem is not None]
    if not refused:
        return Group(table)
    reasons: dict[str, list[str]] = {}
    for cost in refused:
        reasons.setdefault(cost.problem or "", []).append(cost.name)
    lines = [Text(f"not for this mechanism: {', '.join(names)} ({why})", style="dim") for why, names in reasons.items()]
    return Group(table, *lines)
