"""Every example runs as it is, is short, and prints what is true."""

import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parent.parent / "examples"
FILES = sorted(p for p in FOLDER.glob("[01]*.py") if p.name != "14_ppo.py")  # which tests/envs runs
pytestmark = pytest.mark.skipif(not FILES, reason="an installed copy has no examples")


@cache
def printed(number):
    [path] = [p for p in FILES if p.name.startswith(number)]
    with tempfile.TemporaryDirectory() as folder:  # for what it writes
        result = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=300, cwd=folder)
    assert result.returncode == 0, result.stderr
    return result.stdout


def numbers(pattern, text):
    return [float(x) for x in re.search(pattern, text).groups()]


def test_short_examples():
    assert [p.name[:2] for p in FILES] == ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13"]
    assert all(len(p.read_text().splitlines()) < 80 for p in FILES)
    page = (FOLDER.parent / "docs" / "examples.md").read_text()
    assert all(p.name in page for p in FILES)


def test_pendulum():
    period, exact = numbers(r"period ([\d.]+) s, exact ([\d.]+) s", printed("01"))
    assert period == pytest.approx(exact, abs=2e-6) and ": ok" in printed("01")


def test_four_bar():
    # Dead centres are triangles of 0.5, 0.4 and 0.5 + 0.2 or 0.5 - 0.2: the law of cosines gives the rocker's swing.
    from math import acos, degrees

    swing = degrees(acos((0.41 - 0.49) / 0.4) - acos((0.41 - 0.09) / 0.4))
    assert numbers(r"swings by ([\d.]+) degrees", printed("02"))[0] == pytest.approx(swing, abs=0.2)
    assert "mobility 1 of 3" in printed("02") and ": ok" in printed("02")


def test_urdf_with_loops():
    left, right, bar, by_hand = (float(x) for x in re.findall(r"(-?[\d.]+) rad/s\^2", printed("03")))
    assert left == pytest.approx(by_hand, abs=2e-6) and right == pytest.approx(by_hand, abs=2e-6)
    assert bar == pytest.approx(-by_hand, abs=2e-6) and "mobility 1" in printed("03")


def test_stewart_forces():
    text = printed("04")
    listed = (re.search(rf"to {what} it +\[([^\]]+)\]", text)[1] for what in ("hold", "lift"))
    held, lifted = ([float(x) for x in line.split()] for line in listed)
    assert len(held) == 6 and max(held) - min(held) < 2e-3 and min(lifted) > max(held) > 0
    assert numbers(r"virtual power off by ([\d.e+-]+)", text)[0] < 1e-9


def test_ankle():
    rows = [line.split() for line in printed("05").splitlines()[1:]]
    assert len(rows) == 6 and all(float(row[-1]) < 1e-6 for row in rows)
    assert rows[0][2] == rows[0][3] and rows[1][2] != rows[1][3]  # level: the motors share; rolled: they do not


def test_batch():
    text = printed("06")
    assert "accelerations (10000, 7)" in text and numbers(r"residual ([\d.e+-]+)", text)[0] < 1e-9
    assert "alone gives the same: True" in text and "reference gives: True" in text


def test_pushed_quadruped():
    text = printed("07")
    found = re.findall(r"friction ([\d.]+): feet bear ([\d.]+) N, pushed aside by ([-\d.]+) cm, (\d) feet", text)
    (_, firm_weight, firm, firm_feet), (_, slippery_weight, slippery, feet) = [map(float, row) for row in found]
    assert firm_weight == pytest.approx(12.8 * 9.81, rel=1e-2)
    assert slippery_weight == pytest.approx(firm_weight, rel=1e-2)
    assert firm_feet == feet == 4 and 0 < 2 * firm < slippery and text.count(": ok") == 2


def test_hand_with_cube():
    """Held within millimetres of creep and the hand's tilt, or fallen freely once it slipped out."""
    text = printed("08")
    found = re.findall(r"friction ([\d.]+): the cube is ([-\d.]+) cm lower, pressed with ([\d.]+) N", text)
    (_, firm, pressed), (_, slippery, lost) = [map(float, row) for row in found]
    assert abs(firm) < 1.0 and 4.0 < pressed < 12.0 and slippery > 500 and lost == 0 and text.count(": ok") == 2


def test_standing_biped():
    text = printed("09")
    borne, weight = numbers(r"feet bear ([\d.]+) N of ([\d.]+) N", text)
    assert borne == pytest.approx(weight, rel=0.02) and ": ok" in text
    assert numbers(r"sank by ([\d.]+) mm", text)[0] < 30 and numbers(r"closed to ([\d.e+-]+) m", text)[0] < 1e-7


def test_squat():
    text = printed("10")
    (before,), (after, angle, rate) = numbers(r"costs ([\d.]+)", text), numbers(
        r"cost ([\d.]+), ([\d.]+) rad and ([\d.]+) rad/s off", text)  # fmt: skip
    assert after < before / 100 and angle < 0.01 and rate < 0.05
    high, low, error = numbers(r"hips from ([\d.]+) m to ([\d.]+) m, loops closed to ([\d.e+-]+) m", text)
    assert high - low > 0.15 and error < 1e-9


def test_flat_walking_leg():
    def both(what):
        return numbers(what + r": ([\d.]+) mm before, ([\d.]+) mm after", printed("11"))

    before, after = both("unevenness on the ground")
    assert before > 5 and after < 2
    assert abs(np.subtract(*both("stride"))) < 20
    lifts = both("lift")
    assert lifts[1] > 0.8 * lifts[0]  # it still steps over things
    assert numbers(r"loops closed to ([\d.e+-]+) m", printed("11"))[0] < 1e-9


def test_identified_masses():
    rank, every = numbers(r"(\d+) of (\d+) parameters", printed("12"))
    assert rank < every
    first, found = numbers(r"off by ([\d.]+)% at first, by ([\d.]+)% when", printed("12"))
    assert first > 20 and found < 2
    assert numbers(r"differ from these by ([\d.]+)%", printed("12"))[0] < 1


def test_swing_up():
    count, height = numbers(r"(\d+) of 16 swing up; the best ends ([\d.]+) m up", printed("13"))
    assert count >= 4 and height > 0.98
    largest, level = numbers(r"largest torque ([\d.]+) N m; holding it level takes ([\d.]+) N m", printed("13"))
    assert largest < level
    own, with_gradient = numbers(r": (\d+) operations, with its gradient (\d+)", printed("13"))
    assert with_gradient <= 4 * own
