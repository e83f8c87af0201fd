from .api import (
    BlindComparison as BlindComparison,
    Pair as Pair,
    assert_preferred as assert_preferred,
    blind_compare as blind_compare,
    compare_pairs as compare_pairs,
)
from .baseline import Baseline as Baseline
from .human import FolderJudge as FolderJudge, HumanJudge as HumanJudge
from .options import BlindOptions as BlindOptions
from .protocol import BlindProtocol as BlindProtocol
from .request import BlindRequest as BlindRequest
from .rubric import Rubric as Rubric, read_rubric as read_rubric
from .skill_creator import write_grading as write_grading
