"""Numbers and names out of XML attributes, or an error that says which attribute of which element is wrong."""

from __future__ import annotations

import math

from ...errors import LoadError
from ...model.pose import LARGEST_NUMBER
from .xml import Element

LONGEST_NAME = 256


def required(element: Element, attribute: str) -> str:
    """The attribute's text without surrounding blanks; it must be there and must not be empty."""
    value = element.attributes.get(attribute, "").strip()
    if not value:
        found = ", ".join(element.attributes) or "none"
        raise element.error(f"attribute {attribute!r} is missing or empty (attributes found: {shortened(found)})")
    return value


def name_of(element: Element, attribute: str = "name") -> str:
    """A name, kept as it is written."""
    required(element, attribute)
    name = element.attributes[attribute]
    if len(name) > LONGEST_NAME:
        raise element.error(f"{attribute} {shortened(name)!r} has {len(name)} characters; at most {LONGEST_NAME}")
    return name


def number(element: Element, attribute: str, default: float | None = None, *, infinite: bool = False) -> float:
    """A finite number (`infinite=True`: or plus or minus infinity). Without a default it must be there."""
    if default is not None and attribute not in element.attributes:
        return default
    return _number(element, attribute, required(element, attribute), infinite)


def vector(element: Element | None, attribute: str, default: tuple[float, float, float]) -> list[float]:
    """Three finite numbers separated by blanks; the default if the element or the attribute is not there."""
    if element is None or attribute not in element.attributes:
        return list(default)
    words = element.attributes[attribute].split()
    if len(words) != 3:
        text = shortened(element.attributes[attribute])
        raise element.error(f"{attribute}={text!r} has {len(words)} numbers; expected 3")
    return [_number(element, attribute, word, False) for word in words]


def text_number(element: Element, default: float | None = None, *, infinite: bool = False) -> float:
    """The number between the tags of an element."""
    if not element.text and default is not None:
        return default
    return _number(element, "its text", element.text, infinite)


def text_numbers(element: Element, count: int) -> list[float]:
    """So many finite numbers between the tags of an element."""
    words = element.text.split()
    if len(words) != count:
        raise element.error(f"{shortened(element.text)!r} has {len(words)} numbers; expected {count}")
    return [_number(element, "its text", word, False) for word in words]


def text_name(element: Element) -> str:
    """The name between the tags of an element."""
    if not element.text:
        raise element.error("is empty; expected a name")
    if len(element.text) > LONGEST_NAME:
        raise element.error(f"{shortened(element.text)!r} has {len(element.text)} characters; at most {LONGEST_NAME}")
    return element.text


def text_flag(element: Element | None, default: bool) -> bool:
    """true, false, 1 or 0 between the tags; the default if the element is not there or empty."""
    if element is None or not element.text:
        return default
    word = element.text.lower()
    if word not in ("true", "false", "1", "0"):
        raise element.error(f"is {shortened(element.text)!r}; expected true or false")
    return word in ("true", "1")


def shortened(text: str, length: int = 60) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def _number(element: Element, attribute: str, word: str, infinite: bool) -> float:
    try:
        # Python also reads digits of other scripts and underscores; no other URDF reader does
        if "_" in word or not word.isascii():
            raise ValueError
        value = float(word)
    except ValueError:
        raise _bad_number(element, attribute, word, "a number") from None
    if math.isnan(value) or (math.isinf(value) and not infinite):
        raise _bad_number(element, attribute, word, "a finite number")
    if not infinite and abs(value) > LARGEST_NUMBER:
        raise _bad_number(element, attribute, word, f"a number of at most {LARGEST_NUMBER:g}")
    return value


def _bad_number(element: Element, attribute: str, word: str, expected: str) -> LoadError:
    hint = "; this looks like a xacro file, run xacro on it first" if "$" in word else ""
    return element.error(f"{attribute} has {shortened(word)!r} where {expected} is expected{hint}")
