"""`linkwright bench envs` and `rollouts`: many robots at once, on all cores."""

from __future__ import annotations

import typer

from .measuring import AS_JSON, RECORD, listed, machine_text, measuring, numbers, report, table_of


def envs(
    tasks: str = typer.Option("", help="Comma-separated names of linkwright.envs; by default quadruped and biped."),
    environments: int = typer.Option(4096, min=1, help="How many robots."),
    interval: int = typer.Option(4, min=1, help="Steps of physics per action."),
    threads: int = typer.Option(2, min=1, help="Of both."),
    seconds: float = typer.Option(20.0, help="How long to measure each task."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
) -> None:
    """Steps of vector environments a second, observations included, beside MuJoCo's rollout (extras gym, io)."""
    from ..bench import env_throughput as bench

    with measuring(as_json) as (console, step):
        results = list(
            bench.measure(
                listed(tasks) or bench.TASKS, environments=environments, interval=interval, threads=threads,
                seconds=seconds, progress=step,
            )
        )  # fmt: skip
    columns = {
        "task": "", "dof": "d", "rows": "d", "points": "d", "environment steps/s": ",.0f", "physics steps/s": ",.0f",
        "MuJoCo's": ",.0f", "x": ".1f", "x processor time": ".1f", "new episodes": ".1%", "loops apart": ".0e",
        "MuJoCo's loops": ".0e",
    }  # fmt: skip
    rows = (
        (
            r.task, r.dof, r.rows, r.points, r.actions, r.steps, r.mujoco_steps, *r.ratios, r.reset,
            *((r.apart, r.mujoco_apart) if r.rows else (None, None)),
        )
        for r in results
    )  # fmt: skip
    title = f"{environments} environments, {interval} steps per action, {threads} threads, random actions"
    report(
        console, as_json, results, lambda: table_of(title, columns, rows),
        "Ours with observations, rewards and new episodes; MuJoCo's rollout from the same states and commands, physics "
        f"alone. {machine_text()}.", record=(record, "envs"), unit="per second",
    )  # fmt: skip


def rollouts(
    robot: str = typer.Option("digit_like", help="A name or a file."),
    samples: int = typer.Option(2048, min=8, help="Of a rollout."),
    steps: int = typer.Option(100, min=1, help="Of each sample."),
    workers: str = typer.Option("", help="Comma-separated numbers of workers; by default 1 and as many as cores."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
) -> None:
    """Steps of rollouts a second, on threads and, where Ray is installed, on the workers of a cluster."""
    from ..bench import rollout_throughput as bench

    with measuring(as_json) as (console, step):
        results = list(
            bench.measure(robot, samples=samples, steps=steps, workers=numbers(workers) or None, progress=step)
        )
    columns = {
        "who computes": "", "workers": "d", "steps/s": ",.0f", "per worker": ",.0f", "of one thread": ".0%",
        "seconds": ".2f", "same bits": "",
    }  # fmt: skip
    first = results[0].steps_per_second
    rows = (
        (
            r.executor, r.workers, r.steps_per_second, r.per_worker, r.per_worker / first, r.seconds,
            "yes" if r.same_bits else "NO",
        )
        for r in results
    )  # fmt: skip
    title = f"{robot}: rollouts of {samples} samples, {steps} steps each"
    report(
        console, as_json, results, lambda: table_of(title, columns, rows), f"{machine_text()}.",
        record=(record, "rollouts"), robot=robot, samples=samples, steps=steps,
    )  # fmt: skip
