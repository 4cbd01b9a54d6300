"""Ways to damage a file: its bytes, its encoding, its attributes and texts, its structure."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from linkwright.io.text.xml import Element, parse_xml

VALUES = [
    "", " ", "nan", "-inf", "1e400", "1e49", "-1e49", "1e-320", "-0", "0", "-1", "0 0 0", "1 2", "1 2 3 4",
    "1e49 1e49 1e49", "\u0661", "${x}", "true", "fixed", "floating", "planar", "prismatic", "continuous", "world",
    "root_joint", "x" * 300, "999999999", "-999999999", "1e18", "0 0 0 0 0 0 0", "../x", "free", "ball", "1 0 0 0",
]  # fmt: skip
ORDERS = [
    "%s%s%s%s%s%s", "%n", "100%", "%", "a&#10;b", "a&#9;b", "&#133;", "&#x202e;abc", "\u202eabc", "\u009b31m", "&#127;",
    "\u200b", "\ufeff", "\U000e0001", "[bold]x[/]", "&lt;script&gt;", "';--", "$(x)", "`x`", "{x}", "a/b", "/", "..",
]  # fmt: skip
"""Text that printf, terminals, pages or shells take for orders."""
EXTREME = [
    "1e-308",
    "1e308",
    "-1e308",
    "1e300 1e300 1e300",
    "1e-200 1 1e-200",
    "2147483648",
    "1e19",
    "0x10",
    "1e-17",
    "1e17",
]
_DEPTHS = {"deep 50": 50, "deep 900": 900, "deep 100000": 100_000}
_PIECES = [b"<", b">", b'"', b"&", b"\0", b"<!DOCTYPE a>", b"<!--", b"]]>", b"<![CDATA["]


def damaged_bytes(data: bytes, rng: random.Random, count: int) -> bytes:
    damaged = bytearray(data)
    for _ in range(count):
        if not damaged:
            break
        a = rng.randrange(len(damaged))
        b = min(len(damaged), a + rng.choice([1, 1, 5, 50, 500]))
        action = rng.randrange(5)
        if action == 0:
            del damaged[a:b]
        elif action == 1:
            damaged[a:a] = damaged[a:b]
        elif action == 2:
            damaged[a] = rng.randrange(256)
        elif action == 3:
            damaged[a:a] = rng.choice(_PIECES)
        else:
            c = rng.randrange(len(damaged))
            damaged[c:c] = damaged[a:b]
    return bytes(damaged)


def damaged_encoding(data: bytes, rng: random.Random) -> bytes:
    """Cut off somewhere, or in another encoding, which may be declared."""
    text = data.decode("utf-8", "replace")
    encoding = rng.choice(["utf-16", "utf-16-be", "utf-32", "latin-1", "cp037", "utf-8-sig", "utf-7"])
    declared = rng.choice(["", f'<?xml version="1.0" encoding="{encoding}"?>', '<?xml version="1.0" encoding="x"?>'])
    action = rng.randrange(3)
    if action == 0:
        return data[: rng.randrange(len(data) + 1)]
    return (declared + text).encode(encoding, "replace")


def damaged_depth(text: str, rng: random.Random) -> str:
    """One element in many copies of itself."""
    tags = list(re.finditer(r"<(\w+)((?: [^<>/]*)?)>", text))
    if not tags:
        return text
    one, depth = rng.choice(tags), rng.choice([3, 30, 180, 500, 5000])
    return text[: one.start()] + one[0] * depth + f"</{one[1]}>" * depth + text[one.start() :]


def damaged_json(text: str, rng: random.Random, count: int) -> str:
    """Entries of another type or value, renamed, doubled, or gone."""
    content: Any = json.loads(text)
    for _ in range(count):
        places: list[tuple[Any, Any]] = []
        waiting = [content]
        while waiting:
            inside = waiting.pop()
            keys = list(inside) if isinstance(inside, dict) else range(len(inside)) if isinstance(inside, list) else ()
            places += [(inside, key) for key in keys]
            waiting += [inside[key] for key in keys if isinstance(inside[key], dict | list)]
        if not places:
            break
        inside, key = rng.choice(places)
        action = rng.randrange(5)
        if action == 0:
            del inside[key]
        elif action == 1 and isinstance(inside, dict):
            inside[rng.choice([*ORDERS, *VALUES, *map(str, inside)])] = inside[key]
        elif action == 2:
            other, where = rng.choice(places)
            inside[key] = json.loads(json.dumps(other.get(where) if isinstance(other, dict) else
                                                other[where] if where < len(other) else None))  # fmt: skip
        else:
            inside[key] = rng.choice([
                None, True, 0, -1, 1e300, 1e-300, 10**400, 1e-200, [], {}, *_DEPTHS, "", [None], [[]], ["1"],
                *ORDERS, *VALUES,
            ])  # fmt: skip
    damaged = json.dumps(content)
    for mark, depth in _DEPTHS.items():
        damaged = damaged.replace(f'"{mark}"', "[" * depth + "]" * depth)
    return damaged


def damaged_values(text: str, rng: random.Random, count: int, values: list[str] = VALUES) -> str:
    """Attributes, and texts between tags, get other values, or go."""
    for _ in range(count):
        attributes = list(re.finditer(r'(\w+)="([^"]*)"', text))
        texts = list(re.finditer(r">([^<>]+)<", text))
        if texts and (not attributes or rng.random() < 0.5):
            one = rng.choice(texts)
            new = f">{rng.choice(values) if rng.random() < 0.7 else rng.choice(texts)[1]}<"
        elif attributes:
            one = rng.choice(attributes)
            value = rng.choice(values) if rng.random() < 0.7 else rng.choice(attributes)[2]
            new = "" if rng.random() < 0.3 else f'{one[1]}="{value}"'
        else:
            return text
        text = text[: one.start()] + new + text[one.end() :]
    return text


def damaged_structure(text: str, rng: random.Random, count: int, tags: list[str]) -> str:
    root = parse_xml(text)
    for _ in range(count):
        everywhere = [(parent, i) for parent in all_elements(root) for i in range(len(parent.children))]
        if not everywhere:
            break
        parent, i = rng.choice(everywhere)
        element = parent.children[i]
        action = rng.randrange(5)
        if action == 0:
            del parent.children[i]
        elif action == 1:
            parent.children.insert(rng.randrange(len(parent.children)), element)
        elif action == 2:
            rng.shuffle(parent.children)
        elif action == 3:
            element.tag = rng.choice(tags)
        else:  # swap with an element from elsewhere
            other, k = rng.choice(everywhere)
            if element not in all_elements(other.children[k]) and other.children[k] not in all_elements(element):
                parent.children[i], other.children[k] = other.children[k], element
    return written(root)


def all_elements(element: Element) -> list[Element]:
    return [element, *(below for child in element for below in all_elements(child))]


def written(element: Element) -> str:
    attributes = "".join(f' {name}="{_escaped(value)}"' for name, value in element.attributes.items())
    inside = _escaped(element.text) + "".join(written(child) for child in element)
    return f"<{element.tag}{attributes}>{inside}</{element.tag}>\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
