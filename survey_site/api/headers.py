"""Headers that operations take, as the schema describes them."""

from drf_spectacular.utils import OpenApiParameter

IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="A text of yours, new for each new thing. The same request sent with it within "
    "24 hours gets the first answer and makes nothing.",
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag of it as you read it: 412, and nothing is done, where it has changed since.",
)
