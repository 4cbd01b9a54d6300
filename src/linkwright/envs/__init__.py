"""Vector environments for reinforcement learning: thousands of robots in one call, as gymnasium knows them.

`linkwright.envs.make("quadruped", num_envs=4096)`; needs the extra `gym`.
"""

from ..errors import MissingExtraError

try:
    import gymnasium  # noqa: F401
except ImportError:
    raise MissingExtraError("gymnasium", "gym", "linkwright.envs") from None

from .sensors import (
    Sensor,
    actuator_forces,
    contact_forces,
    contacts,
    frame_forces,
    frame_positions,
    frame_velocities,
    gravity_direction,
    imu,
    joint_angles,
    joint_positions,
    joint_velocities,
    root_velocity,
)
from .single_env import RobotEnv, register_tasks
from .task import Snapshot, Task
from .tasks_by_name import TASKS, make
from .vector_env import RobotVectorEnv

__all__ = [
    "TASKS", "RobotEnv", "RobotVectorEnv", "Sensor", "Snapshot", "Task", "actuator_forces", "contact_forces",
    "contacts", "frame_forces", "frame_positions", "frame_velocities", "gravity_direction", "imu", "joint_angles",
    "joint_positions", "joint_velocities", "make", "root_velocity",
]  # fmt: skip

register_tasks()
