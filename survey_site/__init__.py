"""Concord's web site: survey, scores and reports for the meta-evaluation of personalised summaries."""

from survey_site.celery import app as celery_app

__all__ = ["celery_app"]
