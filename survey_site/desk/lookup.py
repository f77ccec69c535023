"""The batch that the address of a staff page names."""

from django.shortcuts import get_object_or_404

from survey_site.batches.models import Batch
from survey_site.common.errors import NotFoundError
from survey_site.uploads.queries import upload_of


def get_batch(pk: int) -> Batch:
    return get_object_or_404(Batch.objects.select_related("corpus", "created_by", "upload"), pk=pk)


def get_surveyed(pk: int) -> Batch:
    """A batch that people rate on this site; NotFoundError where its ratings were uploaded."""
    batch = get_batch(pk)
    if upload_of(batch):
        raise NotFoundError(
            "Nobody takes part in this batch here: its ratings were uploaded.",
            action="Its page says from which file.",
        )
    return batch


def get_launched(pk: int) -> Batch:
    """A batch that raters could have rated; NotFoundError for a draft."""
    batch = get_batch(pk)
    if batch.is_draft:
        raise NotFoundError("This batch has no ratings yet.", action="Launch it first.")
    return batch
