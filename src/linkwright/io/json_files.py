"""Our own JSON files: a model written down exactly. Reading one gives back a model with the same fingerprint."""

from __future__ import annotations

import json

import numpy as np

from ..errors import LinkwrightError, LoadError, ModelError
from ..model import Model
from ..model.serialization import from_dictionary, to_dictionary


def to_json(model: Model) -> str:
    """The text of a JSON file."""
    return json.dumps(to_dictionary(model), indent=1, allow_nan=False) + "\n"


def read_json(data: bytes | str, *, file: object = None) -> Model:
    """A model from the content of one of our JSON files."""
    try:
        content = json.loads(data, parse_constant=_refuse_constant, object_pairs_hook=_without_duplicates)
    except json.JSONDecodeError as error:
        raise LoadError(f"not valid JSON: {error.msg} (column {error.colno})", file=file, line=error.lineno) from None
    except RecursionError:
        raise LoadError("not a model: the JSON is nested too deeply", file=file) from None
    except ValueError as error:  # not text, or one of the refusals below
        raise LoadError(f"not valid JSON: {error}", file=file) from None
    try:  # "\\ud800" is half a character: nothing with such a name could be printed
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        broken = error.object[max(error.start - 20, 0) : error.end + 20]
        raise LoadError(f"not valid Unicode: {broken!r} has half a character", file=file) from None
    except RecursionError:
        raise LoadError("not a model: the JSON is nested too deeply", file=file) from None
    try:
        with np.errstate(all="ignore"):
            _refuse_truths(content)
            return from_dictionary(content)
    except LinkwrightError as error:
        raise LoadError(f"not a model that linkwright can read: {error}", file=file) from None
    except (OverflowError, np.linalg.LinAlgError) as error:
        raise LoadError(f"not a model: a number is out of range ({error})", file=file) from None


def _refuse_truths(content: object) -> None:
    """Nothing is a list of them, and where numbers are expected they would count as 0 and 1."""
    waiting = [content]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list) and any(isinstance(x, bool) for x in value):
            raise ModelError(f"a list is {json.dumps(value)[:100]}; expected numbers or texts")
        if isinstance(value, list | dict):
            waiting.extend(value if isinstance(value, list) else value.values())


def _refuse_constant(token: str):
    raise ValueError(f"{token} is not a number in JSON; an unlimited limit is written as null")


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, value in pairs:
        if name in result:
            raise ValueError(f"an object has two entries named {name[:200]!r}")
        result[name] = value
    return result
