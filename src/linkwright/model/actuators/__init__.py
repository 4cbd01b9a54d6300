"""What drives joints at the user's command: actuators, and keyframes, which hold commands beside poses."""

from .actuator import ACTIVATIONS, Actuator
from .building import actuator, damper, motor, position_servo, velocity_servo
from .keyframe import Keyframe

__all__ = [
    "ACTIVATIONS", "Actuator", "Keyframe", "actuator", "damper", "motor", "position_servo", "velocity_servo",
]  # fmt: skip
