from .api import assert_trajectory as assert_trajectory
from .definitions import TrajectoryValidCalls as TrajectoryValidCalls
from .event import Event as Event
from .operators import (
    TrajectoryAnyOrder as TrajectoryAnyOrder,
    TrajectoryExact as TrajectoryExact,
    TrajectoryF1 as TrajectoryF1,
    TrajectoryForbidden as TrajectoryForbidden,
    TrajectoryInOrder as TrajectoryInOrder,
    TrajectoryMaxCalls as TrajectoryMaxCalls,
    TrajectoryOnlyFrom as TrajectoryOnlyFrom,
    TrajectoryPrecision as TrajectoryPrecision,
    TrajectoryRecall as TrajectoryRecall,
    TrajectorySimilarity as TrajectorySimilarity,
    TrajectorySingleToolUse as TrajectorySingleToolUse,
)
from .readers import read_trajectory as read_trajectory, read_turns as read_turns
from .run_limits import RunLimits as RunLimits
from .steps import TrajectorySteps as TrajectorySteps
