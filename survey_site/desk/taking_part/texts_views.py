"""The staff page on what raters read in one language: wording, worked examples, practice pairs, consent."""

from datetime import datetime
from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, reader_required
from survey_site.batches.models import Batch
from survey_site.batches.translations import require_offered, save_translation, shown_wording
from survey_site.common.errors import InvalidInputError
from survey_site.common.languages import language as named
from survey_site.desk.lookup import get_surveyed
from survey_site.desk.taking_part.forms import ConsentForm
from survey_site.desk.taking_part.texts_forms import PairForm, TranslationForm, pair_forms
from survey_site.survey.models import PairUse
from survey_site.survey.pages.examples import save_examples, written_examples
from survey_site.survey.pages.practice import built_in_examples, worked_examples
from survey_site.survey.people.consent import consent_wording
from survey_site.survey.people.participation import read_participation


@require_safe
@reader_required
def texts(request: HttpRequest, pk: int, language: str) -> HttpResponse:
    batch = get_surveyed(pk)
    require_offered(batch, language)
    return _page(request, TextsForms(batch, language))


@require_POST
@admin_required
def change_texts(request: HttpRequest, pk: int, language: str) -> HttpResponse:
    batch = get_surveyed(pk)
    require_offered(batch, language)
    entered = TextsForms(batch, language, request)
    if not entered.are_valid():
        return _page(request, entered)
    try:
        entered.save(by=cast(User, request.user), now=timezone.now())
    except InvalidInputError as error:
        return _page(request, entered, problem=error)
    except ValidationError as error:
        entered.translation.add_error(None, error)
        return _page(request, entered)
    messages.success(request, "Saved.")
    return redirect("batches:texts", batch.pk, language)


class TextsForms:
    """The forms of the page, which are sent together."""

    def __init__(self, batch: Batch, language: str, request: HttpRequest | None = None) -> None:
        self.batch, self.language = batch, language
        data = request.POST if request else None
        self.translation = TranslationForm(data, batch=batch, language=language)
        self.pairs: dict[str, list[PairForm]] = {
            use: pair_forms(use, language, batch.scale, written_examples(batch, use).get(language, ()), data)
            for use in PairUse.values
        }

    @property
    def further(self) -> bool:
        """The wording in the batch's own language is on its planning page."""
        return self.language != self.batch.language

    def are_valid(self) -> bool:
        forms = [self.translation, *(one for forms in self.pairs.values() for one in forms)]
        return not [one for one in forms if not one.is_valid()]  # every form, so that all errors show

    @transaction.atomic
    def save(self, *, by: User, now: datetime) -> None:
        """All of it or, where a service refuses, nothing."""
        if self.further:
            wording = self.translation.cleaned_data
            save_translation(batch=self.batch, language=self.language, wording=wording, by=by, now=now)
        for use, forms in self.pairs.items():
            pairs = [pair for one in forms if (pair := one.example(self.batch.scale))]
            save_examples(batch=self.batch, language=self.language, use=use, pairs=pairs, by=by, now=now)


def _page(
    request: HttpRequest, entered: TextsForms, *, problem: InvalidInputError | None = None
) -> HttpResponse:
    batch, language = entered.batch, entered.language
    consent = consent_wording(batch, read_participation(batch), language)
    sections = [
        (PairUse(use).label, forms, worked_examples(batch.scale, built_in_examples(use, language)))
        for use, forms in entered.pairs.items()
    ]
    context = {
        "batch": batch,
        "language": named(language),
        "main": named(batch.language),
        "translation_form": entered.translation if entered.further else None,
        "sections": sections,
        "shown": shown_wording(batch, language),
        "consent": consent,
        "consent_form": ConsentForm(initial={"text": consent.text}, language=language),
        "problem": problem,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if entered.translation.is_bound else HTTPStatus.OK
    return render(request, "desk/taking_part/texts.html", context, status=status)
