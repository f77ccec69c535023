"""What is said of a run that somebody ended."""

from survey_site.common.errors import ConflictError

CANCELLED = "It was cancelled before its end."
CANCELLED_ACTION = "What was answered is kept: try again, and it goes on from there."


class CancelledError(ConflictError):
    """Somebody ended the run; what was answered is kept."""

    def __init__(self) -> None:
        super().__init__(CANCELLED, action=CANCELLED_ACTION)
