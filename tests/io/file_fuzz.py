"""Damaged files of every format, by the thousand: a model or a LinkwrightError comes out, soon and in little memory.

Each case is made from its number, so that it can be made again. Cases run in processes of their own, which may crash,
hang or eat memory without harm:

    nice -n 19 python tests/io/file_fuzz.py --count 20000 --start 0 --into /tmp/fuzz
    python tests/io/file_fuzz.py --one mjcf 17            (one case, here, with its traceback)
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import select
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SECONDS = 5.0  # of processor time, for a case
MEMORY = 2**30  # bytes beyond what the library itself takes
_PATIENCE = 120.0  # seconds of the clock, on a machine that is busy
KINDS = ("mjcf", "urdf", "sdf", "json", "yaml", "stl", "obj", "dae")
_ROBOT = "robot.xml"


def sources(kind: str) -> list[str]:
    """Texts to damage."""
    from mjcf_files import COUPLINGS, EQUALITIES, EVERY_JOINT, with_equality
    from sdf_files import FOUR_BAR
    from test_mjcf_vocabulary import BOUND, scene
    from test_random_options import Writer
    from test_urdf_loops import LOOP, YAML, robot
    from urdf_writer import PENDULUM

    import linkwright as lw

    if kind == "mjcf":
        contacts = scene(tail='<contact><pair geom1="g" geom2="f"/></contact><sensor><clock name="c"/></sensor>')
        equalities = [with_equality(text) for text in {**EQUALITIES, **COUPLINGS}.values()]
        full = [Writer(seed).text() for seed in range(8)]
        return [EVERY_JOINT, BOUND.format('<flag gravity="disable"/>'), contacts, *full, *equalities]
    if kind == "urdf":
        shapes = (
            '<collision><geometry><box size="1 2 3"/></geometry></collision><visual><geometry><mesh filename="m.stl"/>'
        )
        return [
            PENDULUM,
            robot(LOOP.format("revolute")),
            PENDULUM.replace("</link>", f"{shapes}</geometry></visual></link>", 1),
        ]
    if kind == "sdf":
        return [FOUR_BAR]
    if kind == "json":
        models = [lw.load("four_bar"), lw.load(EVERY_JOINT), lw.load(scene()), lw.load(BOUND.format(""))]
        return [json.dumps(lw.model.serialization.to_dictionary(model)) for model in models]
    if kind == "yaml":
        return [YAML + "joint_name:\n  - j2\n  - 'j3'\njoint_type: [\n  UJOINT_ZX, 'SPHERICAL',\n  ]\n"]
    return []


def case(kind: str, number: int) -> bytes:
    """The damaged file of that number."""
    from damage import (
        EXTREME,
        ORDERS,
        VALUES,
        damaged_bytes,
        damaged_depth,
        damaged_encoding,
        damaged_json,
        damaged_structure,
        damaged_values,
    )
    from test_file_mutations import TAGS

    rng = random.Random(f"{kind} {number}")
    count, way = rng.choice([1, 1, 2, 4]), rng.randrange(6)
    if kind in ("stl", "obj", "dae"):
        return _mesh(kind, rng, count)
    text = rng.choice(_sources(kind))
    if way == 0:
        return damaged_bytes(text.encode(), rng, count)
    if kind == "json":
        return damaged_encoding(text.encode(), rng) if way == 1 else damaged_json(text, rng, count).encode()
    if kind == "yaml":
        words = text.split()
        for _ in range(count):
            words[rng.randrange(len(words))] = rng.choice([*ORDERS, *VALUES, *EXTREME, "[" * 500, "- " * 300, "? :"])
        return damaged_encoding(text.encode(), rng) if way == 1 else rng.choice([" ", "\n"]).join(words).encode()
    if way == 1:
        return damaged_encoding(text.encode(), rng)
    if way == 2:
        return damaged_depth(text, rng).encode()
    if way == 3:
        return damaged_structure(text, rng, count, TAGS[kind]).encode("utf-8", "replace")
    return damaged_values(text, rng, count, [*ORDERS, *EXTREME] if way == 4 else [*VALUES, *ORDERS]).encode()


_SOURCES: dict[str, list[str]] = {}


def _sources(kind: str) -> list[str]:
    if kind not in _SOURCES:
        _SOURCES[kind] = sources(kind)
    return _SOURCES[kind]


def _mesh(kind: str, rng: random.Random, count: int) -> bytes:
    from damage import EXTREME, ORDERS, VALUES, damaged_bytes
    from test_meshes import binary_stl, obj, text_stl

    if kind == "stl":
        data = rng.choice([binary_stl, text_stl])()
    else:
        data = obj() if kind == "obj" else COLLADA.encode()
    if rng.random() < 0.5:
        return damaged_bytes(data, rng, count)
    words = data.split(b" ")
    for _ in range(count):
        words[rng.randrange(len(words))] = rng.choice([*ORDERS, *VALUES, *EXTREME, "nan", "f 1 2 9"]).encode()
    return b" ".join(words)


COLLADA = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>
<unit meter="0.01"/></asset><library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong><diffuse>
<color>0 0 1 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects><library_materials>
<material id="m"><instance_effect url="#e"/></material></library_materials><library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v">
<input semantic="POSITION" source="#s"/></vertices><triangles count="4" material="m">
<input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material>
<technique_common><instance_material symbol="m" target="#m"/></technique_common></bind_material></instance_geometry>
</node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


def load_case(kind: str, data: bytes, folder: Path) -> None:
    """Whatever a user would do with such a file. Raises what the library raises."""
    import linkwright as lw
    from linkwright.viewer.looks import meshes_not_drawn

    path = folder / _ROBOT
    for old in folder.iterdir():
        old.unlink()
    if kind in ("mjcf", "urdf", "sdf", "json"):
        path.write_bytes(data)
        model = lw.load(path)
    elif kind == "yaml":
        from test_urdf_loops import with_tips

        (folder / "robot.yaml").write_bytes(data)
        path.write_text(with_tips())
        model = lw.load(path)
    else:
        name = f"m.{kind}"
        (folder / name).write_bytes(data)
        of_mesh = f'<geometry><mesh filename="{name}"/></geometry>'
        path.write_text(
            '<robot name="r"><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
            f'ixz="0" iyz="0"/></inertial><visual>{of_mesh}</visual><collision>{of_mesh}</collision></link></robot>'
        )
        model = lw.load(path, floating_base=True, meshes=True)
        meshes_not_drawn(model)
        if kind != "dae":
            path.write_text(
                f'<mujoco><asset><mesh name="m" file="{name}"/></asset><worldbody><geom type="plane" size="1 1 1"/>'
                '<body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
            )
            lw.load(path, meshes=random.Random(len(data)).random() < 0.5)
    shown = [*map(str, model.not_computed), *model.warnings, str(model)]
    assert all(line.isprintable() for line in shown), "what is said of it cannot be printed"


def outcome(kind: str, number: int, folder: Path) -> str:
    """ "model", "refused", or what is wrong."""
    from linkwright.errors import LinkwrightError

    data = case(kind, number)
    begin = time.process_time()
    try:
        load_case(kind, data, folder)
        found = "model"
    except LinkwrightError as error:
        found = "refused"
        if not (0 < len(str(error)) < 5000 and all(line.isprintable() for line in str(error).split("\n"))):
            found = f"WRONG message {str(error)[:300]!r}"
    except RecursionError as error:
        found = f"WRONG RecursionError {_where(error)}"
    except BaseException as error:
        found = f"WRONG {type(error).__name__}: {str(error)[:120]!r} {_where(error)}"
    seconds = time.process_time() - begin
    return f"WRONG takes {seconds:.1f} s" if seconds > SECONDS else found


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    return " < ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(frames))


def worker() -> None:
    """Reads "kind number" lines; says "start" and "end" of each."""
    import linkwright as lw

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lw.load("chain:1")
        for kind in KINDS:  # imports what it needs before memory counts
            try:
                load_case(kind, case(kind, -1), folder)
            except lw.LinkwrightError:
                pass
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
        for line in sys.stdin:
            kind, number = line.split()
            print("end", kind, number, outcome(kind, int(number), folder).replace("\n", " "), flush=True)


def run(cases: list[tuple[str, int]], say=print) -> tuple[Counter, list[str]]:
    """(How many ended how, what was wrong): one process after the other, a new one after each crash."""
    counts: Counter = Counter()
    wrong: list[str] = []
    waiting = list(cases)
    while waiting:
        process = subprocess.Popen(
            [sys.executable, __file__, "--worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, bufsize=1, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        for kind, number, result in _answers(process, waiting):
            done = waiting.pop(0)
            assert done == (kind, number), (done, kind, number)
            counts[f"{kind}: {'wrong' if result.startswith('WRONG') else result}"] += 1
            if result.startswith("WRONG"):
                wrong.append(f"{kind} {number}: {result}")
                say(wrong[-1])
            if sum(counts.values()) % 500 == 0:
                say(f"{sum(counts.values())} cases, {len(wrong)} wrong")
        process.kill()
        code = process.wait()
        if waiting:
            kind, number = waiting.pop(0)
            counts[f"{kind}: wrong"] += 1
            wrong.append(f"{kind} {number}: WRONG the process ended with {code}, or hung")
            say(wrong[-1])
    return counts, wrong


def _answers(process: subprocess.Popen, waiting: list[tuple[str, int]]) -> Iterator[tuple[str, int, str]]:
    """Until the process ends or hangs."""
    assert process.stdin is not None and process.stdout is not None
    for kind, number in list(waiting):
        try:
            process.stdin.write(f"{kind} {number}\n")
            process.stdin.flush()
        except BrokenPipeError:
            return
        ready, _, _ = select.select([process.stdout], [], [], _PATIENCE)
        line = process.stdout.readline() if ready else ""
        if not line.startswith("end "):
            return
        _, told, which, result = line.rstrip("\n").split(" ", 3)
        yield told, int(which), result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker", action="store_true")
    parser.add_argument("--one", nargs=2)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--into", type=Path)
    asked = parser.parse_args()
    if asked.worker:
        worker()
        return
    if asked.one:
        kind, number = asked.one[0], int(asked.one[1])
        with tempfile.TemporaryDirectory() as name:
            data = case(kind, number)
            sys.stdout.buffer.write(data[:20000] + b"\n")
            load_case(kind, data, Path(name))
        return
    kinds = asked.kinds.split(",")
    cases = [(kinds[k % len(kinds)], asked.start + k // len(kinds)) for k in range(asked.count)]
    begin = time.time()
    counts, wrong = run(cases, say=lambda text: print(text, flush=True))
    report = [f"{len(cases)} files in {time.time() - begin:.0f} s", *(f"{k} {n}" for k, n in sorted(counts.items()))]
    print("\n".join([*report, f"{len(wrong)} wrong", *wrong]))
    if asked.into:
        asked.into.mkdir(parents=True, exist_ok=True)
        (asked.into / f"{asked.start}.txt").write_text("\n".join([*report, *wrong]) + "\n")


if __name__ == "__main__":
    main()
