"""How people log in, from the values of the table."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured

REQUIRED_OF = ("none", "admins", "all")


def second_step_required_of(values: Mapping[str, Any]) -> str:
    """Who has to set up a second step. Raises ImproperlyConfigured for what is none of the choices."""
    chosen = str(values["CONCORD_REQUIRE_SECOND_STEP"])
    if chosen not in REQUIRED_OF:
        raise ImproperlyConfigured(
            f"CONCORD_REQUIRE_SECOND_STEP={chosen!r} must be one of: {', '.join(REQUIRED_OF)}."
        )
    return chosen
