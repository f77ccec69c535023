"""What can be archived and deleted: batches, reports, corpora and studies; and who may do it."""

from collections.abc import Mapping
from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404

from survey_site.accounts.permissions import may_remove
from survey_site.batches.models import Batch
from survey_site.corpus.models import Corpus
from survey_site.reports.models import Report
from survey_site.studies.models import Study

Thing = Batch | Report | Corpus | Study
KINDS: Mapping[str, type[Thing]] = {"batch": Batch, "report": Report, "corpus": Corpus, "study": Study}
"""By the word that stands in addresses and in the audit log."""
KINDS_TOLD = tuple(KINDS)


def kind_of(thing: Thing) -> str:
    return next(kind for kind, model in KINDS.items() if isinstance(thing, model))


def may_remove_thing(user: Any, thing: Thing) -> bool:
    """Admins anything, researchers the reports that they asked for and the studies that they uploaded."""
    return may_remove(user, thing.created_by_id if isinstance(thing, Report | Study) else None)


def get_removable(kind: str, pk: int, user: Any) -> Thing:
    """Raises Http404 where there is none, and PermissionDenied for who may not remove it."""
    if kind not in KINDS:
        raise Http404
    found = cast(Thing, get_object_or_404(KINDS[kind]._default_manager.all(), pk=pk))
    if not may_remove_thing(user, found):
        raise PermissionDenied(
            "Only admins may do this, of a report whoever asked for it, and of a study whoever uploaded it. "
            "Ask an admin to do it for you."
        )
    return found
