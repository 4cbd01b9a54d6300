"""Values that change places at the end of a stretch: in which order they are copied.

All of them are meant to be read before any place is written. Loading all first would do, but a loop may carry, and a
program give, thousands of values: more than there are registers, and LLVM takes quadratic time to find that out. So a
place is written once nobody will read it any more.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator

Copy = tuple[int, int]  # value, the place that it goes to; a place is a value too: what was there before


def ordered_copies(copies: Iterable[Copy]) -> Iterator[list[Copy]]:
    """The copies in groups: of a group all is read before anything is written, but one group comes after the other.

    A group is a single copy, or several that go round in a circle. No place is written twice.
    """
    source = {place: value for value, place in copies}
    readers = Counter(value for value in source.values() if value in source)  # of places that will be written
    free = deque(place for place in source if not readers[place])
    while free:
        place = free.popleft()
        value = source.pop(place)
        yield [(value, place)]
        if value in source:
            readers[value] -= 1
            if not readers[value]:
                free.append(value)
    while source:  # every place is read by one copy now, and written by one
        circle = []
        place = next(iter(source))
        while place in source:
            value = source.pop(place)
            circle.append((value, place))
            place = value
        yield circle
