"""Pages before a batch runs: the plan, and what raters will see. Admins change them."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, override
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, reader_required
from survey_site.batches.models import Batch
from survey_site.batches.planning import sketch_questionnaire
from survey_site.batches.presets import PRESETS, preset_values
from survey_site.batches.services import create_batch, delete_batch, update_batch
from survey_site.batches.translations import shown_wording
from survey_site.batches.validators import require_offered
from survey_site.common.errors import NotFoundError
from survey_site.common.languages import language
from survey_site.corpus.models import Corpus
from survey_site.desk.batches.planning.forms import BatchForm, initial_values, open_groups
from survey_site.desk.batches.previewed import remember_preview
from survey_site.desk.lookup import get_batch, get_surveyed
from survey_site.projects.access import get_visible_or_404, listed
from survey_site.survey.pages.examples import page_examples
from survey_site.survey.pages.questionnaire import sketch_order, sketch_view
from survey_site.survey.people.participation import limit_questionnaires
from survey_site.survey.queries import MOST_COUNTED


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def new(request: HttpRequest) -> HttpResponse:
    """Plan a batch on the corpus of ?corpus=; without it, choose one first."""
    wanted = request.GET.get("corpus", "")
    if wanted.isdecimal():
        corpus = get_visible_or_404(Corpus, request.user, wanted)
        require_offered(corpus)
        return _planning_page(request, corpus, None)
    return render(
        request,
        "desk/batches/choose_corpus.html",
        {"corpora": listed(Corpus.objects.filter(archived_at=None), request.user).order_by("-created_at")},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    batch = get_batch(pk)
    if not batch.is_draft:
        messages.warning(request, "A launched batch is not changed any more. Plan a new one instead.")
        return redirect(batch)
    return _planning_page(request, batch.corpus, batch)


def _planning_page(request: HttpRequest, corpus: Corpus, batch: Batch | None) -> HttpResponse:
    named = request.GET.get("preset", "")
    if named and named not in PRESETS:
        raise NotFoundError(f"There is no preset {named}.", action=f"There are {', '.join(PRESETS)}.")
    preset = PRESETS.get(named)
    initial = initial_values(batch) if batch else preset and preset_values(preset, corpus)
    form = BatchForm(request.POST or None, corpus=corpus, initial=initial)
    only_shows = request.POST.get("action") in {"estimate", "find"}
    if request.method == "POST" and not only_shows and (saved := _save(request, form, batch)):
        return redirect(saved)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors and not only_shows else HTTPStatus.OK
    context = {"form": form, "corpus": corpus, "batch": batch, "presets": PRESETS, "preset": preset}
    context |= _computed(form if form.is_bound else _untouched(form))
    if only_shows:
        form.errors.pop("name", None)  # a plan gets its name when it is saved
    context["open_groups"] = open_groups(form)
    return render(request, "desk/batches/plan.html", context, status=status)


def _save(request: HttpRequest, form: BatchForm, batch: Batch | None) -> Batch | None:
    """The batch as it is stored with its limit, or None with the form's errors."""
    if not form.is_valid():
        return None
    settings, admin, now = form.settings(), cast(User, request.user), timezone.now()
    try:
        with transaction.atomic():
            if batch:
                saved = update_batch(batch=batch, settings=settings, by=admin, now=now)
            else:
                saved = create_batch(corpus=form.corpus, settings=settings, created_by=admin, now=now)
            limit_questionnaires(batch=saved, limit=form.cleaned_data["limit"], by=admin, now=now)
            return saved
    except ValidationError as error:
        form.add_service_errors(error)
        return None


def _untouched(form: BatchForm) -> BatchForm:
    """The form as it is sent where nothing is changed."""
    data = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    data["systems"] = [system.pk for system in data["systems"]]
    return BatchForm(data, corpus=form.corpus)


def _computed(form: BatchForm) -> dict[str, Any]:
    """What is worked out of the fields: effort and price, and the documents to tick."""
    effort, shortfall = form.effort()
    said = {"effort": effort, "shortfall": shortfall, "price": form.price(effort)}
    return said | form.listed_documents()


@require_POST
@admin_required
def effort(request: HttpRequest) -> HttpResponse:
    """The parts of the planning page that follow from what is entered so far."""
    wanted = request.GET.get("corpus", "")
    corpus = get_visible_or_404(Corpus, request.user, wanted if wanted.isdecimal() else None)
    form = BatchForm(request.POST, corpus=corpus)
    return render(request, "desk/batches/_plan_parts.html", _computed(form))


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """GET asks for confirmation, POST deletes a draft."""
    batch = get_batch(pk)
    if request.method != "POST":
        if not batch.is_draft:
            return redirect(batch)
        return render(request, "desk/batches/delete.html", {"batch": batch})
    delete_batch(batch=batch, by=cast(User, request.user), now=timezone.now())
    messages.success(request, f"The draft “{batch}” is deleted.")
    return redirect("batches:list")


@require_safe
@reader_required
def preview(request: HttpRequest, pk: int) -> HttpResponse:
    """One questionnaire (?number=, ?language=) in the rater's own template; it sends and stores nothing."""
    batch = get_surveyed(pk)
    remember_preview(request, batch)
    wanted = request.GET.get("number", "")
    questionnaire, total, items = sketch_questionnaire(batch, int(wanted) if wanted.isdecimal() else 1)
    order = sketch_order(items, seed=f"{batch.seed}/preview")
    context = {
        "batch": batch,
        "page": sketch_view(questionnaire, order),
        "labels": [item.label for item, _ in order],
        "number": questionnaire.number,
        "total": total,
        "many": total > MOST_COUNTED,
        "languages": [language(code) for code in batch.languages],
        "preview": True,
    }
    wanted = request.GET.get("language", "")
    with override(wanted if wanted in batch.languages else batch.language):
        context["wording"] = shown_wording(batch, get_language())
        context["examples"] = page_examples(batch)
        return render(request, "desk/batches/preview.html", context)
