"""Reads about where a batch's ratings come from, and a batch as plain values with what an upload cannot know
left out.
"""

from typing import Any

from survey_site.batches.description import describe_design, describe_plan, describe_study
from survey_site.batches.models import Batch
from survey_site.uploads.models import Upload


def upload_of(batch: Batch) -> Upload | None:
    """None for a batch that was rated on this site."""
    return getattr(batch, "upload", None)


def cite_upload(batch: Batch) -> dict[str, Any]:
    """How a report, a snapshot and a bundle name the file behind a batch; empty where there is none."""
    upload = upload_of(batch)
    if upload is None:
        return {}
    return {
        "source_file": upload.file,
        "source_hash": upload.content_hash,
        "uploaded_at": upload.uploaded_at.isoformat(),
        "raters_known": upload.knows_raters,
    }


def plan_of(batch: Batch) -> dict[str, Any]:
    """The plan; of uploaded ratings only what was rated, since nobody said what else was planned."""
    return {**describe_plan(batch), **_unknown(batch)}


def design_of(batch: Batch) -> dict[str, Any]:
    """What the plan was made from, as in `plan_of`; without its questionnaires, which may be very many."""
    return {**describe_design(batch), **_unknown(batch)}


def _unknown(batch: Batch) -> dict[str, Any]:
    """What nobody said of uploaded ratings."""
    return {"seed": None, "options": {}, "from_ratings": True} if upload_of(batch) else {}


def study_of(batch: Batch) -> dict[str, Any]:
    """What raters were asked; of uploaded ratings only what was said of them."""
    study = describe_study(batch)
    if upload_of(batch) is None:
        return study
    asked = {name: study[name] for name in ("batch", "scale", "raters")}
    wording = {name: study[name] for name in ("question", "low_label", "high_label") if study[name]}
    once = {"equal_pairs_once": True} if batch.equal_pairs_once else {}
    return {**asked, **wording, **once, **cite_upload(batch)}
