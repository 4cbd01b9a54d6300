"""What a page may send: a list of messages, their fields, and bounds of what these hold. All else is dropped.

viser hands what arrives to its own handlers, which set properties by the names in the message, keep uploads in memory
and open tunnels to the outside. Our page sends where the camera is, what its controls show, and what is dragged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

MESSAGE_BYTES = 16_384
"""The largest message: ours have some hundred bytes."""
LARGEST_NUMBER = 1e9  # of places and sizes, in metres or pixels
_LONGEST_TEXT = 4096  # of names, which come from robot files


class Refusal(NamedTuple):
    """Why a message is dropped, and whether no page of viser's would have sent it."""

    why: str
    is_offence: bool


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_real and math.isfinite(value) and abs(value) <= LARGEST_NUMBER


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_TEXT


def _is_vector(size: int) -> Any:
    return lambda value: isinstance(value, list) and len(value) == size and all(map(_is_number, value))


def _is_pixels(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1 << 16


def _is_one_of(*values: Any) -> Any:
    return lambda value: any(value is x or (isinstance(value, str) and value == x) for x in values)


_WXYZ, _POINT, _ON_SCREEN = _is_vector(4), _is_vector(3), _is_vector(2)
_DRAGGED = {"name": _is_text, "owner": _is_text}
_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "ViewerCameraMessage": {
        "wxyz": _WXYZ, "position": _POINT, "fov": _is_number, "near": _is_number, "far": _is_number,
        "image_height": _is_pixels, "image_width": _is_pixels, "look_at": _POINT, "up_direction": _POINT,
    },
    "GuiUpdateMessage": {"uuid": _is_text, "updates": lambda x: isinstance(x, dict) and list(x) == ["value"]},
    "SceneNodeDragMessage": {
        **_DRAGGED, "phase": _is_one_of("start", "update", "end"),
        "instance_index": lambda x: x is None or _is_number(x), "start_position": _POINT, "end_position": _POINT,
        "start_screen_pos": _ON_SCREEN, "end_screen_pos": _ON_SCREEN,
        "button": _is_one_of("left", "middle", "right"), "modifier": lambda x: x is None or _is_text(x),
    },
    "TransformControlsUpdateMessage": {**_DRAGGED, "wxyz": _WXYZ, "position": _POINT},
    "TransformControlsDragStartMessage": _DRAGGED,
    "TransformControlsDragEndMessage": _DRAGGED,
}  # fmt: skip
_MAY_BE_ABSENT = frozenset(["owner", "instance_index", "modifier"])


def checked_message(data: Any, gui: Any) -> Refusal | None:
    """None for a message that may be handed on; `gui` is viser's, which knows the controls; None before it does."""
    import msgspec

    if not isinstance(data, bytes):
        return Refusal("text", True)
    try:
        message = msgspec.msgpack.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return Refusal("not msgpack", True)
    if not isinstance(message, dict) or not isinstance(kind := message.pop("type", None), str):
        return Refusal("no type", True)
    fields = _FIELDS.get(kind)
    if fields is None:
        return Refusal(f"{kind} is not taken", False)  # viser's page has buttons that ours has no use for
    if not fields.keys() - _MAY_BE_ABSENT <= message.keys() <= fields.keys():
        return Refusal(f"fields of {kind}", True)
    for name, value in message.items():
        if not fields[name](value):
            return Refusal(f"{name} of {kind}", True)
    if kind == "GuiUpdateMessage":
        return _checked_value(gui, message["uuid"], message["updates"]["value"])
    return None


def _checked_value(gui: Any, uuid: str, value: Any) -> Refusal | None:
    control = None if gui is None else gui._gui_input_handle_from_uuid.get(uuid)
    if control is None:
        return Refusal("a control that is gone", False)
    if not is_offered(control, value):
        return Refusal("a value that is not offered", True)
    return None


def is_offered(control: Any, value: Any) -> bool:
    """Whether one of our controls can have a value: a choice of a drop-down, a number on a slider, a tick, a click."""
    if (options := getattr(control, "options", None)) is not None:
        return isinstance(value, str) and value in options
    now = control.value
    if isinstance(now, bool):  # ticks and buttons
        return isinstance(value, bool)
    low, high = getattr(control, "min", None), getattr(control, "max", None)
    if low is None or high is None or not _is_number(value):
        return False
    slack = getattr(control, "step", 0.0)  # pages round to steps
    return low - slack <= value <= high + slack
