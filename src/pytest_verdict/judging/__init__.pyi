from .protocol import Judge as Judge
from .pydantic_ai import PydanticAIJudge as PydanticAIJudge
from .recording import RecordingJudge as RecordingJudge
