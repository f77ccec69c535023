"""Django's LOGGING: one handler, which writes lines for people or for programs to standard error.

Requests are logged by route and without addresses: a rater's link is a secret, and raters stay unknown.
"""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured

FORMATTERS = {
    "text": "survey_site.common.log_lines.TextFormatter",
    "json": "survey_site.common.log_lines.JsonFormatter",
}


def logging_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    form = values["CONCORD_LOG_FORMAT"]
    if form not in FORMATTERS:
        raise ImproperlyConfigured(f"CONCORD_LOG_FORMAT={form!r} must be one of: {', '.join(FORMATTERS)}.")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "route": {"()": "survey_site.common.logs.RouteFilter"},
            "refusal": {"()": "survey_site.common.logs.RefusalFilter"},
            "ids": {"()": "survey_site.common.log_lines.IdsFilter"},
        },
        "formatters": {"line": {"()": FORMATTERS[form]}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["route", "ids"]},
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "survey_site": {"level": values["LOG_LEVEL"]},
            # Which tasks came and how they ended.
            "celery": {"level": values["LOG_LEVEL"]},
            # Both would repeat the request log with the whole path.
            "django.server": {"handlers": [], "level": "ERROR", "propagate": False},
            "django.request": {"level": "ERROR", "filters": ["refusal"]},
            # gunicorn writes paths and addresses into what it reports of a broken request.
            "gunicorn.error": {"handlers": ["stderr"], "propagate": False},
        },
    }
