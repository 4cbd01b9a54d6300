"""Everything public says what it is; what takes or gives numbers says their shapes, frames or units."""

import inspect
import re
from collections.abc import Iterator

import pytest

import linkwright as lw

LENGTH = r"\bm\b|metre"
# Per name of an argument: what the docstring of its function, or of the class, must say something of.
SAID = {
    "q": r"\(nq,\)|nq\b|\(T, nq\)|configuration", "v": r"nv\b|velocit", "tau": r"nv\b|torque|N m",
    "dt": r"\bs\b|second",
    "mass": r"\bkg\b", "com": LENGTH, "tensor": r"kg m\^2", "radius": LENGTH, "size": LENGTH, "length": LENGTH,
    "half_sizes": LENGTH, "placement": r"pose|frame", "at": r"pose|position|frame|place|where",
    "gravity": r"m/s", "K": r"\(m, 6\)|linear; angular", "ratio": r"turn|times|per", "frame": r"frame",
    "q0": r"nq\b|configuration|pose", "v0": r"nv\b|velocit", "axis": r"axis|axes",
    "control": r"torque|N m|command|tau", "steps": r"step",
    "kp": r"N m|per", "kd": r"N m|per", "seed": r"seed|random|rng", "rng": r"random|rng|seed",
}  # fmt: skip


def public() -> Iterator[tuple[str, object, str]]:
    """(Name, thing, further text that counts for it): what is in __all__, and public methods of public classes."""
    for name in lw.__all__:
        thing = getattr(lw, name)
        if inspect.ismodule(thing):
            yield from ((f"{name}.{inner}", getattr(thing, inner), "") for inner in thing.__all__)
            continue
        yield name, thing, ""
        for inner, member in vars(thing).items() if inspect.isclass(thing) else ():
            wrapped = next((x for what in ("fget", "func", "__func__") if (x := getattr(member, what, None))), None)
            if not inner.startswith("_") and (wrapped or inspect.isfunction(member)):
                yield f"{name}.{inner}", wrapped or member, thing.__doc__ or ""


THINGS = [x for x in public() if callable(x[1])]


@pytest.mark.parametrize(("name", "thing", "around"), THINGS, ids=[name for name, *_ in THINGS])
def test_it_says_what_it_is(name, thing, around):
    text = inspect.getdoc(thing) or ""
    assert text and not text.startswith(f"{name}("), f"{name} has no docstring"
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return
    for argument in inspect.signature(thing).parameters:
        if argument in SAID:
            said = re.search(SAID[argument], f"{text} {around}")
            assert said, f"{name} takes {argument!r}, and its docstring says neither shape, frame nor unit of it"
