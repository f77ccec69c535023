"""Sealed bundles of large reports: asked for, and made by a worker."""

from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse

from survey_site.reports.bundles.kept import ask_for_bundle, make_bundle
from survey_site.reports.models import KeptBundle, Report
from tests.factories.batches import NOW

LATER = NOW + timedelta(days=400)


def bundle_address(report: Report, **query: str) -> str:
    return reverse("reports:bundle", args=[report.pk], query=query)


def ask(
    report: Report, asked: list[KeptBundle] | None = None, *, now: datetime = LATER, with_texts: bool = True
) -> KeptBundle:
    """The bundle, or its job; `asked` gets what is handed to the workers."""
    found: list[Any] = [] if asked is None else asked
    return ask_for_bundle(report, with_texts=with_texts, now=now, ask=found.append)


def work(row: KeptBundle, now: datetime = LATER) -> bool:
    """Make it as a worker does."""
    return make_bundle(row, clock=lambda: now)
