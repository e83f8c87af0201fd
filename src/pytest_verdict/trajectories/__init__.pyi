from .api import assert_trajectory as assert_trajectory
from .event import Event as Event
from .limits import (
    TrajectoryForbidden as TrajectoryForbidden,
    TrajectoryMaxCalls as TrajectoryMaxCalls,
    TrajectoryOnlyFrom as TrajectoryOnlyFrom,
    TrajectorySingleToolUse as TrajectorySingleToolUse,
)
from .order import (
    TrajectoryAnyOrder as TrajectoryAnyOrder,
    TrajectoryExact as TrajectoryExact,
    TrajectoryInOrder as TrajectoryInOrder,
)
from .readers import read_trajectory as read_trajectory
from .scores import (
    TrajectoryF1 as TrajectoryF1,
    TrajectoryPrecision as TrajectoryPrecision,
    TrajectoryRecall as TrajectoryRecall,
    TrajectorySimilarity as TrajectorySimilarity,
)
from .steps import TrajectorySteps as TrajectorySteps
from .turns import read_turns as read_turns
