"""How often somebody may join or post, so that one machine cannot fill a survey or keep the site busy."""

from datetime import datetime

from django.conf import settings
from django.http import HttpRequest

from survey_site.batches.models import Batch
from survey_site.common.limits import address_of, count_request

JOIN_SECONDS, POST_SECONDS = 600, 60


def check_joining(*, request: HttpRequest, batch: Batch, now: datetime) -> None:
    """Count a newcomer of the request's address. Raises TooManyRequestsError past the limit."""
    parts = ("join", batch.token, address_of(request))
    count_request(*parts, seconds=JOIN_SECONDS, most=settings.CONCORD_JOINS_PER_ADDRESS, now=now)


def check_posting(*, secret: str, now: datetime) -> None:
    """Count a post of the rater with this secret. Raises TooManyRequestsError past the limit."""
    count_request("post", secret, seconds=POST_SECONDS, most=settings.CONCORD_POSTS_PER_RATER, now=now)
