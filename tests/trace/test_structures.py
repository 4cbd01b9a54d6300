"""Loops, guards and choices carry frozen dataclasses; results are those of flat lists, node by node."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pytest

from linkwright.codegen import program_content
from linkwright.errors import TraceError
from linkwright.scalar import guard, leaves, rebuild, repeat, until, where
from linkwright.spatial import RowVector
from linkwright.trace import interpret, trace


@dataclass(frozen=True)
class Pose:
    place: list
    turn: float


@dataclass(frozen=True)
class Motion:
    pose: Pose
    speed: np.ndarray
    nothing: None = None
    rows: list = field(default_factory=list)


class Pair(NamedTuple):
    one: float
    two: float


def motion(x=1.0):
    return Motion(Pose([x, 2.0], 3.0), np.array([[x, 5.0]], dtype=object), None, [[6.0], []])


def test_leaves_are_in_declared_order():
    assert leaves(motion()) == [1.0, 2.0, 3.0, 1.0, 5.0, 6.0]
    again = rebuild(motion(), [10.0, 20.0, 30.0, 40.0, 50.0, 60.0])
    assert again.pose == Pose([10.0, 20.0], 30.0) and again.speed.shape == (1, 2) and again.rows == [[60.0], []]
    assert again.nothing is None and leaves(again) == [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]


def test_an_array_of_numbers_is_one_scalar():
    batch = np.arange(3.0)
    assert leaves([batch, 1.0])[0] is batch and leaves(np.array([1.0, 2.0], dtype=object)) == [1.0, 2.0]


def test_tuples_and_rows_come_back_as_they_are():
    both = (Pair(1.0, 2.0), RowVector([3.0]))
    pair, row = rebuild(both, [4.0, 5.0, 6.0])
    assert pair == Pair(4.0, 5.0) and isinstance(row, RowVector) and list(row) == [6.0]


def test_what_does_not_fit_is_refused():
    with pytest.raises(TraceError, match="fewer scalars"):
        rebuild(motion(), [1.0])
    with pytest.raises(TraceError, match="7 scalars were given for a structure of 6"):
        rebuild(motion(), [1.0] * 7)
    with pytest.raises(TraceError, match="texts cannot change"):
        leaves(["q"])


def doubled(x, flat):
    """Pose after doubling until it is beyond ten, once with a dataclass and once with a flat list."""
    if flat:
        return until(lambda p: ([2.0 * y for y in p], p[0] > 5.0), [x, x + 1.0, 3.0], limit=9)
    found = until(
        lambda p: (Pose([2.0 * y for y in p.place], 2.0 * p.turn), p.place[0] > 5.0), Pose([x, x + 1.0], 3.0), limit=9
    )
    assert isinstance(found, Pose)
    return [*found.place, found.turn]


def guarded(x, flat):
    if flat:
        return guard(x > 2.0, lambda: [x * x, x + 1.0, 3.0], [x, x, 1.0], expected=0.5)
    found = guard(x > 2.0, lambda: Pose([x * x, x + 1.0], 3.0), Pose([x, x], 1.0), expected=0.5)
    return [*found.place, found.turn]


def counted(x, flat):
    table = [1.0, 2.0, 4.0]
    if flat:
        end, found = repeat(lambda v, t: ([v[0] + t * x, v[1]], [v[0] * t]), [x, 2.0], count=3, tables=[table])
        return [*end, *(y for own in found for y in own)]
    end, poses = repeat(
        lambda v, t: (Pair(v.one + t * x, v.two), Pair(v.one * t, 0.0)), Pair(x, 2.0), count=3, tables=[table]
    )
    return [*end, *(pose.one for pose in poses)]


@pytest.mark.parametrize("function", (doubled, guarded))
def test_the_same_program_node_by_node(function):
    programs = [trace(lambda x, flat=flat: function(x[()], flat), {"x": ()}) for flat in (True, False)]
    assert program_content(programs[0]) == program_content(programs[1])


@pytest.mark.parametrize("function", (doubled, guarded, counted))
@pytest.mark.parametrize("x", (0.5, 3.0, np.array([0.25, 2.5, 7.0])))
def test_numbers_batches_and_programs_agree(function, x):
    found = [np.broadcast_to(y, np.shape(x)) for y in function(x, False)]
    np.testing.assert_array_equal(found, [np.broadcast_to(y, np.shape(x)) for y in function(x, True)])
    program = trace(lambda x: function(x[()], False), {"x": ()})
    for k, one in enumerate(np.ravel(x)):
        np.testing.assert_array_equal(interpret(program, {"x": one})["out"], [np.ravel(y)[k] for y in found])


def test_choosing_between_structures():
    yes, no = motion(1.0), replace(motion(9.0), rows=[[7.0], []])
    assert leaves(where(True, yes, no)) == leaves(yes)
    chosen = where(np.array([True, False]), yes, no)
    np.testing.assert_array_equal(chosen.pose.place[0], [1.0, 9.0])
    np.testing.assert_array_equal(chosen.rows[0][0], [6.0, 7.0])


def test_a_body_that_returns_another_structure_is_refused():
    with pytest.raises(TraceError, match="returned 2 values; it carries 3"):
        until(lambda p: (Pair(1.0, 2.0), True), Pose([1.0, 2.0], 3.0), limit=2)
