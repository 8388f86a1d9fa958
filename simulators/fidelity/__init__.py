"""Whether a message is still that of the person: what it tells, contradicts and leaks, by code alone."""

from .disclosure_detection import Said, measure, telling
from .model_reply import Cleaned, clean_reply, strip_stop_tokens
from .reply_checks import FAULTS, LONGEST, Situation, check_reply, failure_in, universal_faults
from .speakers import asks_of_another, own_claim
from .value_texts import head_of, is_harmless, is_none
from .wording import fold, holds, in_digits

__all__ = [
    "FAULTS",
    "LONGEST",
    "Cleaned",
    "Said",
    "Situation",
    "asks_of_another",
    "check_reply",
    "clean_reply",
    "failure_in",
    "fold",
    "head_of",
    "holds",
    "in_digits",
    "is_harmless",
    "is_none",
    "measure",
    "own_claim",
    "strip_stop_tokens",
    "telling",
    "universal_faults",
]
