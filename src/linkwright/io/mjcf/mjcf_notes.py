"""What a model lacks, in a <text> of an MJCF that we write: whoever reads the file again is told as much as before."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ...errors import LinkwrightError
from ...model import NotComputed
from ...model.not_computed import read_not_computed
from ..text.xml import Element

NAME = "not computed by linkwright"


def note_text(entries: Iterable[NotComputed]) -> str:
    """The data of the <text>; percent signs, which MuJoCo takes for orders, are written as JSON's escapes."""
    return json.dumps([entry.to_dictionary() for entry in entries]).replace("%", "\\u0025")


def noted(root: Element) -> list[NotComputed]:
    """What such a <text> below <mujoco> says, if there is one."""
    texts = [text for section in root.named("custom") for text in section.named("text")]
    found: list[NotComputed] = []
    for text in (text for text in texts if text.attributes.get("name") == NAME):
        try:
            content = json.loads(text.attributes.get("data", ""))
            if not isinstance(content, list):
                raise text.error(f"its data is not a list, which <text name={NAME!r}> holds; remove it")
            found += map(read_not_computed, content)
        except (ValueError, RecursionError, LinkwrightError) as error:
            raise text.error(f"its data is not what linkwright writes ({error}); remove the <text>") from None
    return found
