"""A small part of YAML: names with a word, a number or lists of them. Enough for descriptions beside a robot's file.

    name: [['a', "b"], [c, 2.5]]      # lists in brackets, over several lines if need be
    other:
      - word
      - [a, b]

No anchors, tags, mappings in lists or text blocks; what is not understood is refused with its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...errors import LoadError

_MAX_DEPTH = 20
_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:(\s+|$)")
_TOKEN = re.compile(
    r"""\s*(?:\#[^\n]*|([\[\],])|'((?:[^'\n]|'')*)'|"([^"\\\n]*)"|([^\s\[\],#'"{}&*!|>%@`][^\[\],#\n]*))"""
)


@dataclass(frozen=True)
class YamlValue:
    value: object
    """A string or lists of strings, to any depth. Numbers stay text."""
    line: int


def read_yaml(text: str, *, file: object = None) -> dict[str, YamlValue]:
    """The entries of a document that is one mapping."""
    lines = text.split("\n")
    entries: dict[str, YamlValue] = {}
    i = 0
    while i < len(lines):
        line = lines[i]
        if not line.strip() or line.lstrip().startswith("#") or line.strip() == "---":
            i += 1
            continue
        match = _KEY.match(line)
        if match is None:
            raise LoadError(f"{line.strip()[:60]!r} is not understood; expected 'name: value'", file=file, line=i + 1)
        end = i + 1
        while end < len(lines) and (not lines[end].strip() or lines[end][:1] in " \t#-]"):
            end += 1
        if match[1] in entries:
            raise LoadError(f"a second entry is named {match[1]!r}", file=file, line=i + 1)
        body = [line[match.end() :], *lines[i + 1 : end]]
        entries[match[1]] = YamlValue(_value(body, i + 1, file), i + 1)
        i = end
    return entries


def _value(lines: list[str], start: int, file: object) -> object:
    first = next((k for k, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), None)
    if first is None:
        return ""
    if not lines[first].lstrip().startswith("- "):
        return _Flow("\n".join(lines), start, file).whole()
    items, k = [], first
    while k < len(lines):
        line = lines[k].strip()
        if line and not line.startswith("#"):
            if not line.startswith("- "):
                raise LoadError(f"{line[:60]!r} is not understood; expected '- item'", file=file, line=start + k)
            end = k + 1
            while end < len(lines) and not lines[end].lstrip().startswith("- "):
                end += 1
            items.append(_Flow("\n".join([line[2:], *lines[k + 1 : end]]), start + k, file).whole())
            k = end
        else:
            k += 1
    return items


class _Flow:
    """A word, or lists in brackets."""

    def __init__(self, text: str, start: int, file: object):
        self.text, self.start, self.file, self.at = text, start, file, 0
        self.end = len(text.rstrip())

    def whole(self) -> object:
        token = self._next()
        value = self._after(token)
        if self._next() is not None:
            raise self._error("something follows the value")
        return value

    def _after(self, token: tuple[str, str] | None) -> object:
        if token is None:
            return ""
        if token[0] == "word":
            return token[1]
        if token[1] != "[":
            raise self._error(f"{token[1]!r} is out of place")
        stack: list[list] = [[]]
        expecting = True  # an item, or the end; not a comma
        while True:
            token = self._next()
            if token is None:
                raise self._error("a list is not closed")
            kind, text = token
            if (kind == "word" or text == "[") and not expecting:
                raise self._error(f"a comma is missing before {text[:40]!r}")
            if kind == "word":
                stack[-1].append(text)
                expecting = False
            elif text == "[":
                if len(stack) >= _MAX_DEPTH:
                    raise self._error(f"lists are nested more than {_MAX_DEPTH} deep")
                stack.append([])
            elif text == ",":
                if expecting:
                    raise self._error("a comma is out of place")
                expecting = True
            else:
                done = stack.pop()
                if not stack:
                    return done
                stack[-1].append(done)
                expecting = False

    def _next(self) -> tuple[str, str] | None:
        while True:
            if self.at >= self.end:
                return None
            match = _TOKEN.match(self.text, self.at)
            if match is None:
                raise self._error("this is not understood")
            self.at = match.end()
            mark, single, double, plain = match.groups()
            if mark:
                return "mark", mark
            if single is not None:
                return "word", single.replace("''", "'")
            if double is not None:
                return "word", double
            if plain is not None:
                return "word", plain.strip()

    def _error(self, message: str) -> LoadError:
        line = self.start + self.text.count("\n", 0, self.at)
        near = self.text[self.at : self.at + 30].split("\n")[0].strip()
        return LoadError(f"{message}{f' (near {near!r})' if near else ''}", file=self.file, line=line)
