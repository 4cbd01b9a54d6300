"""Rollouts of many samples: same bits whoever computes them, nothing lost when something gives way."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, RolloutError, RolloutInterrupted
from linkwright.rollouts import chunk_files, executors

B, T = 21, 30


@pytest.fixture(scope="module")
def robot():
    return lw.load("four_bar")


@pytest.fixture(scope="module")
def start(robot):
    rng = np.random.default_rng(1)
    return np.tile(robot.drawn, (B, 1)), rng.normal(size=(B, T, robot.nv))


@pytest.fixture(scope="module")
def whole(robot, start):
    q0, tau = start
    return lw.rollout(robot, q0, control=tau, outputs=("a", "status"))


def same(one, other):
    assert one.names == other.names
    for name in one.names:
        assert np.array_equal(one[name], other[name], equal_nan=True), name


def test_samples_are_those_of_simulate(robot, start, whole):
    q0, tau = start
    assert whole.q.shape == (B, T + 1, robot.nq) and whole["a"].shape == (B, T, robot.nv)
    assert whole.finished.all() and not whole.status.any() and (whole.diverged == -1).all()
    for k in (0, 7, 20):
        alone = lw.simulate(robot, q0[k], control=tau[k], steps=T, outputs="a")
        assert np.array_equal(alone.q, whole.q[k]) and np.array_equal(alone["a"], whole["a"][k])
    assert whole.t[-1] == pytest.approx(T * whole.dt)
    assert "21 of 21 samples" in str(whole)


@pytest.mark.parametrize("how", [{"chunk": 1}, {"chunk": 5}, {"threads": 2}, {"chunk": 8, "threads": 1}])
def test_chunks_and_threads_do_not_matter(robot, start, whole, how):
    same(lw.rollout(robot, start[0], control=start[1], outputs=("a", "status"), **how), whole)


def test_other_processes_find_the_same_bits(robot, start, whole):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = lw.rollout(robot, start[0], control=start[1], outputs=("a", "status"), executor=pool, chunk=7)
    same(found, whole)


def test_parameters_and_forces_are_cut_with_their_samples(robot, start):
    """Also where there are as many samples in a chunk as there are steps."""
    rng = np.random.default_rng(2)
    masses = lw.default_parameters(robot)["masses"] * rng.uniform(0.5, 2, size=(B, 1))
    f_ext = 0.1 * rng.normal(size=(T, robot.nbodies, 6))
    options = {"parameters": {"masses": masses}, "f_ext": f_ext, "steps": T}
    found = lw.rollout(robot, start[0], chunk=5, **options)
    same(found, lw.rollout(robot, start[0], **options))
    k = 13
    alone = lw.simulate(robot, start[0][k], steps=T, f_ext=f_ext, parameters={"masses": masses[k]})
    assert np.array_equal(alone.q, found.q[k])


def test_a_sample_that_diverges_is_flagged_and_others_go_on(robot, start, whole):
    q0, tau = start
    pushed = tau.copy()
    pushed[4, 10:] = 1e300
    found = lw.rollout(robot, q0, control=pushed, outputs=("a", "status"))
    others = np.arange(B) != 4
    assert 10 <= found.diverged[4] <= 13 and found.status[4] == 3
    assert np.isfinite(found.q[4, : found.diverged[4]]).all() and not np.isfinite(found.q[4, found.diverged[4]]).all()
    assert np.array_equal(found.q[others], whole.q[others]) and (found.diverged[others] == -1).all()


@pytest.mark.parametrize("form", ["npy", "zarr"])
def test_folders_are_read_again_and_gone_on_with(robot, start, whole, form, tmp_path, monkeypatch):
    if form == "zarr":
        pytest.importorskip("zarr", reason="the extra 'zarr' is not installed")
    options = {"control": start[1], "outputs": ("a", "status"), "chunk": 5, "into": tmp_path / "runs", "format": form}
    same(lw.rollout(robot, start[0], **options), whole)
    same(lw.open_rollout(tmp_path / "runs"), whole)
    (tmp_path / "runs" / "00002.json").unlink()  # a chunk whose record was not written any more
    counted = []
    real = executors.computed
    monkeypatch.setattr(executors, "computed", lambda *a: (counted.append(1), real(*a))[1])
    assert lw.open_rollout(tmp_path / "runs").finished.sum() == B - 5
    same(lw.rollout(robot, start[0], **options), whole)
    assert len(counted) == 1


def test_a_truncated_file_is_computed_again(robot, start, whole, tmp_path):
    options = {"control": start[1], "outputs": ("a", "status"), "chunk": 5, "into": tmp_path}
    lw.rollout(robot, start[0], **options)
    path = tmp_path / "00001.q.npy"
    path.write_bytes(path.read_bytes()[:-100])
    assert lw.open_rollout(tmp_path).finished.sum() == B - 5
    same(lw.rollout(robot, start[0], **options), whole)


def test_a_full_disk_keeps_what_is_done(robot, start, tmp_path, monkeypatch):
    real, calls = chunk_files.write_atomically, []

    def write(path, data):
        calls.append(path)
        if path.name == "00002.v.npy":
            raise InputError(f"{path} could not be written: No space left on device")
        real(path, data)

    monkeypatch.setattr(chunk_files, "write_atomically", write)
    with pytest.raises(RolloutError, match=r"No space left .* 10 of 21 samples .* goes on from there") as caught:
        lw.rollout(robot, start[0], control=start[1], chunk=5, into=tmp_path)
    assert caught.value.result.finished.sum() == 10 and len(caught.value.result.q) == 10
    monkeypatch.undo()
    assert lw.rollout(robot, start[0], control=start[1], chunk=5, into=tmp_path).finished.all()


def test_an_interruption_keeps_what_is_done(robot, start, monkeypatch):
    real, calls = executors.computed, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(executors, "computed", interrupted)
    with pytest.raises(RolloutInterrupted, match="10 of 21 samples") as caught:
        lw.rollout(robot, start[0], control=start[1], chunk=5)
    assert len(caught.value.result.q) == 10 and isinstance(caught.value, KeyboardInterrupt)


def test_an_executor_that_goes_away(robot, start):
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RolloutError, match="0 of 21 samples"):
        lw.rollout(robot, start[0], control=start[1], executor=pool)


def test_killed_in_the_middle_it_goes_on(robot, start, whole, tmp_path):
    """A process that is killed outright leaves whole chunks behind, and the next one does the rest."""
    np.save(tmp_path / "tau.npy", start[1])
    text = f"""
        import numpy as np, os, signal, linkwright as lw
        from linkwright.rollouts import executors
        real, calls = executors.computed, []
        def killed(*arguments):
            calls.append(1)
            if len(calls) == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments)
        executors.computed = killed
        robot = lw.load("four_bar")
        lw.rollout(robot, np.tile(robot.drawn, ({B}, 1)), control=np.load({str(tmp_path / "tau.npy")!r}),
                   outputs=("a", "status"), chunk=5, into={str(tmp_path / "runs")!r})
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], env=os.environ)
    assert ended.returncode == -signal.SIGKILL
    assert lw.open_rollout(tmp_path / "runs").finished.sum() == 10
    found = lw.rollout(
        robot, start[0], control=start[1], outputs=("a", "status"), chunk=5, into=tmp_path / "runs"
    )  # fmt: skip
    same(found, whole)


def test_mistakes_are_named(robot, start, tmp_path):
    q0, tau = start
    for message, arguments in (
        ("takes batches", {"q0": q0[0], "steps": 3}),
        ("steps was not given", {"q0": q0}),
        ("is a function", {"q0": q0, "control": lambda t, q, v: 0, "steps": 3}),
        ("no option of rollout named 'integrater'", {"q0": q0, "steps": 3, "integrater": "rk4"}),
        ("executor is 'dask'", {"q0": q0, "steps": 3, "executor": "dask"}),
        ("chunk is 0", {"q0": q0, "steps": 3, "chunk": 0}),
        ("no format named 'hdf5'", {"q0": q0, "steps": 3, "format": "hdf5"}),
        ("holds 20, 21|\\[20, 21\\] samples", {"q0": q0, "control": tau[1:]}),
    ):
        with pytest.raises(InputError, match=message):
            lw.rollout(robot, **arguments)
    lw.rollout(robot, q0, control=tau, into=tmp_path / "runs")
    with pytest.raises(InputError, match="holds another rollout"):
        lw.rollout(robot, q0, control=2 * tau, into=tmp_path / "runs")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("")
    with pytest.raises(InputError, match="not a rollout's"):
        lw.rollout(robot, q0, control=tau, into=tmp_path / "other")
    with pytest.raises(InputError, match="holds no rollout"):
        lw.open_rollout(tmp_path / "other")
    (tmp_path / "other" / "rollout.json").write_text(json.dumps({"dt": 1}))
    with pytest.raises(InputError, match="holds no rollout"):
        lw.open_rollout(tmp_path / "other")


def test_ray_finds_the_same_bits_and_redoes_what_a_killed_worker_lost(robot, start, whole, tmp_path):
    ray = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        options = {"control": start[1], "outputs": ("a", "status"), "chunk": 5, "executor": "ray"}
        same(lw.rollout(robot, start[0], **options), whole)
        marker = tmp_path / "killed"

        def fatal(prepared, threads=1):
            if not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return executors.computed(prepared, threads)

        original = executors.computed
        executors.computed = fatal
        try:
            same(lw.rollout(robot, start[0], **options), whole)
        finally:
            executors.computed = original
        assert marker.exists()
    finally:
        ray.shutdown()


@pytest.mark.parametrize("how", ["shut down", "killed"])
def test_a_cluster_that_goes_away_leaves_what_it_found(how, tmp_path):
    """In a process of its own, which Ray would end if nobody looked after its head."""
    pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    if how == "killed" and not os.path.isdir("/proc/self"):
        pytest.skip("processes are looked up in /proc")
    text = f"""
        import numpy as np, os, signal, ray, linkwright as lw
        from linkwright.errors import RolloutError
        from linkwright.rollouts import chunk_files, executors
        executors.LOOKED_AFTER = 1.0
        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
        session = ray._private.worker._global_node.get_session_dir_path()
        def kill():
            for name in filter(str.isdigit, os.listdir("/proc")):
                try:
                    command = open(f"/proc/{{name}}/cmdline").read()
                except OSError:
                    continue
                if session in command and command.split(chr(0))[0].endswith(("raylet", "gcs_server")):
                    os.kill(int(name), signal.SIGKILL)
        real, calls = chunk_files.InMemory.put, []
        def put(self, number, arrays):
            real(self, number, arrays)
            calls.append(number)
            if len(calls) == 2:
                ray.shutdown() if {how!r} == "shut down" else kill()
        chunk_files.InMemory.put = put
        robot = lw.load("four_bar")
        try:
            # long enough that most of it is still to do when the head is gone
            many = np.tile(robot.drawn, (1000, 1))
            lw.rollout(robot, many, steps=20_000, record=1000, chunk=4, executor="ray")
        except RolloutError as error:
            assert "has gone away" in str(error) and 8 <= len(error.result.q) < 1000, error
            print("kept")
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0 and "kept" in ended.stdout, ended.stderr[-2000:]


def test_a_bar_appears_though_nothing_is_finished(monkeypatch, capfd):
    from linkwright.rollouts import progress

    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.progress_bar("chunks", 3) as advance:
        time.sleep(0.5)
        advance()
    with progress.progress_bar("frames", 3, wanted=False) as advance:
        time.sleep(0.2)
    told = capfd.readouterr().err
    assert "chunks" in told and "0/3" in told and "frames" not in told


def test_throughput_is_measured_and_bits_compared():
    from linkwright.bench import rollout_throughput

    found = list(rollout_throughput.measure("four_bar", samples=16, steps=4, workers=(2,)))
    assert [(x.executor, x.workers) for x in found][:2] == [("threads", 1), ("threads", 2)]
    assert all(x.same_bits and x.steps_per_second == pytest.approx(64 / x.seconds) for x in found)
