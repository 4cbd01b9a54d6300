"""Ways to go on are counted as if each had been traced alone, and leave nothing behind."""

import pytest

import linkwright as lw
from linkwright.algorithms.constrained.mixed import MixedGraph
from linkwright.algorithms.convergence.proximal import Iterations, iterate
from linkwright.algorithms.rows.constrained_problem import ConstrainedProblem
from linkwright.model import tree_of
from linkwright.scalar import until
from linkwright.trace import CommonBeginning, count_operations, simplify, trace


def exactly(begin, inputs, go_on):
    return count_operations(simplify(trace(lambda **x: go_on(begin(**x)), inputs))).total


def test_ends_are_counted_with_what_they_need_of_the_beginning():
    def begin(x):
        return x, [x[0] * x[1], x[1] * x[2]]  # the second product is used by one end only

    ends = [
        lambda begun: [begun[1][0]],
        lambda begun: [begun[1][0] + begun[1][1]],  # x[1] (x[0] + x[2])
        lambda begun: [begun[0][0] - begun[0][1], 2.0],
        lambda begun: [begun[0][1] - begun[0][0]],  # not the opposite of the one before
        lambda begun: [1.0],
    ]
    common = CommonBeginning(begin, {"x": 3})
    assert [common.operations(end) for end in ends] == [1, 2, 1, 1, 0]
    assert [exactly(begin, {"x": 3}, end) for end in ends] == [1, 2, 1, 1, 0]


def test_loops_are_counted_too_and_forgotten():
    def halved(x):
        return until(lambda values: ([values[0] * 0.5], values[0] < x[1]), [x[0] + x[1]], limit=9, expected=3.0)

    ends = [halved, lambda x: [x[0] * x[1]], lambda x: [*halved(x), *halved(x)]]
    common = CommonBeginning(lambda x: x, {"x": 2})
    counted = [common.operations(end) for end in ends]
    assert counted == [exactly(lambda x: x, {"x": 2}, end) for end in ends] and counted[1] == 1
    assert not common._graph.loops


def test_an_end_that_fails_leaves_nothing_behind():
    common = CommonBeginning(lambda x: x, {"x": 2})

    def fails(x):
        raise ValueError(x[0] - x[1])

    with pytest.raises(ValueError):
        common.operations(fails)
    assert common.operations(lambda x: [x[1] - x[0]]) == 1  # and not minus what was there


@pytest.mark.parametrize("name", ["digit_like", "jansen_leg", "stewart_platform"])
def test_solvers_differ_by_what_their_programs_differ_by(name):
    model = lw.load(name)
    tree, start, inputs = tree_of(model), [0.0] * model.nc, {"q": model.nq, "v": model.nv, "tau": model.nv}

    def begin(q, v, tau):
        return ConstrainedProblem(tree, q, v, tau, mu=[3.0] * model.nc)

    def end(carried):
        return lambda problem: iterate(MixedGraph(problem, start, carried), Iterations(2), start).a

    ends = [end(carried) for carried in ((), (0,), range(len(model.constraints)))]
    common = CommonBeginning(begin, inputs)
    left = {common.operations(end) - exactly(begin, inputs, end) for end in ends}
    assert len(left) == 1 and 0 <= left.pop() < 20  # of 1000 to 25,000
