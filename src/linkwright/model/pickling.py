"""Models in pickles, which is how other processes get them: the content of our JSON files, and its fingerprint.

Not the attributes of the objects, which are ours to change: a pickle of another version is refused, and one whose
numbers were changed on the way is too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import LinkwrightError, ModelError

if TYPE_CHECKING:
    from .model import Model

VERSION = 1


def reduced(model: Model) -> tuple[Callable[..., Model], tuple[Any, ...]]:
    """What `__reduce__` returns: how to make the model again, and from what."""
    from .serialization import to_dictionary

    return restored_model, (VERSION, json.dumps(to_dictionary(model)), model.warnings, model.fingerprint)


def restored_model(version: int, *content: Any) -> Model:
    """The model that `reduced` took apart; raises `ModelError` if this is not one."""
    from .serialization import from_dictionary

    if version != VERSION:
        raise ModelError(
            f"this pickle of a model has version {version!r}, and this linkwright reads version {VERSION}; pickle with "
            f"the linkwright that is to read it, or keep models in files, which `linkwright.save` writes"
        )
    try:
        text, warnings, fingerprint = content
        model = replace(from_dictionary(json.loads(text)), warnings=tuple(map(str, warnings)))
    except (LinkwrightError, ValueError, TypeError) as error:
        raise ModelError(f"this pickle of a model is damaged: {error}; make it again") from None
    if model.fingerprint != fingerprint:
        raise ModelError(
            f"this pickle of model {model.name!r} is damaged: its content is not what was pickled; make it again"
        )
    return model
