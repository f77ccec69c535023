"""Whether somebody has looked at a draft as it is now; kept with their log-in, so no batch knows of it."""

from django.http import HttpRequest

from survey_site.batches.models import Batch
from survey_site.common.digest import digest

KEY = "previewed"


def remember_preview(request: HttpRequest, batch: Batch) -> None:
    """Whoever asks is shown a preview of the draft; a launched batch needs none."""
    if batch.is_draft:
        request.session[KEY] = request.session.get(KEY, {}) | {str(batch.pk): _plan_as_it_is(batch)}


def has_previewed(request: HttpRequest, batch: Batch) -> bool:
    """Whether whoever asks has seen a preview since the plan was last changed."""
    return bool(request.session.get(KEY, {}).get(str(batch.pk)) == _plan_as_it_is(batch))


def _plan_as_it_is(batch: Batch) -> str:
    """A hash of every setting of the plan, the wording in all languages among them."""
    settings = {field.attname: str(getattr(batch, field.attname)) for field in batch._meta.concrete_fields}
    systems = list(batch.systems.order_by("pk").values_list("pk", flat=True))
    translations = [list(row) for row in batch.translations.order_by("pk").values_list()]
    return digest([settings, systems, translations])
