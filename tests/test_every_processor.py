"""Models and programs are the same whatever processor NumPy's linear algebra takes this one for.

OpenBLAS chooses its kernels by processor, and so rounds differently; `OPENBLAS_CORETYPE` makes it believe in another.
"""

import json
import os
import subprocess
import sys

import pytest

PROCESSORS = ("Haswell", "Nehalem", "Prescott", "SkylakeX")
# Skew axes, drawings, loops with every kind of step, grasps found by iteration; files if their package is there.
ROBOTS = ("delta_robot", "stewart_platform", "jansen_leg", "star", "tello", "cassie", "talos", "hand_with_cube")

PRINT_HASHES = """
import hashlib, json, sys
import linkwright as lw
from linkwright.codegen.cache import program_content

found = {}
for name in sys.argv[1:]:
    try:
        model = lw.load(name)
    except lw.LinkwrightError:
        continue  # its package is not installed
    programs = [("aba", model.without_constraints(), {}), ("crba", model.without_constraints(), {})]
    if name in ("delta_robot", "stewart_platform", "hand_with_cube"):
        programs.append(("lcaba", model, {}))  # with penalties found at a few poses
    if name in ("jansen_leg", "tello"):
        programs.append(("cluster_aba", model, {}))
    found[name] = {"fingerprint": model.fingerprint}
    for algorithm, mechanism, options in programs:
        program = lw.trace_program(mechanism, algorithm, **options)
        found[name][algorithm] = hashlib.sha256(program_content(program).encode()).hexdigest()
print(json.dumps(found))
"""


def hashes(processor):
    return subprocess.Popen(
        [sys.executable, "-c", PRINT_HASHES, *ROBOTS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OPENBLAS_CORETYPE": processor, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip


def test_models_and_programs_do_not_depend_on_the_processor():
    results = {}
    for first, second in (PROCESSORS[:2], PROCESSORS[2:]):
        running = {processor: hashes(processor) for processor in (first, second)}
        for processor, process in running.items():
            printed, errors = process.communicate(timeout=120)
            if process.returncode and "llegal instruction" in errors:  # a kernel this machine cannot run
                continue
            assert process.returncode == 0, errors
            results[processor] = json.loads(printed)
    if len(results) < 2:
        pytest.skip("OpenBLAS runs the kernels of fewer than two processors here")
    expected = results.popitem()[1]
    assert len(expected) >= 5
    for processor, found in results.items():
        assert found == expected, processor
