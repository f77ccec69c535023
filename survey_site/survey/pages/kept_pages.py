"""The two pages that everybody is shown who begins, put together once for all to whom they say the same.

The first page of a newcomer and the page of a questionnaire of which nothing is answered yet differ by little
from one person to the next: keys of forms, codes, texts. All else is kept by what it shows
(`survey_site/common/kept.py`), because putting it together took half of what a start costs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.utils.functional import lazy
from django.utils.safestring import SafeString, mark_safe

from survey_site.batches.models import Batch
from survey_site.batches.states import AssignmentState
from survey_site.common.kept import place, put_together
from survey_site.common.languages import Language
from survey_site.survey.models import Assignment
from survey_site.survey.pages.questionnaire import PairView, QuestionnaireView
from survey_site.survey.pages.script_texts import ScriptTexts

_MORE_COOKIES = {settings.SESSION_COOKIE_NAME, "messages"}


@dataclass(frozen=True)
class _Survey:
    """What these pages say of a batch."""

    token: str
    equal_pairs_once: bool


@dataclass(frozen=True)
class _Request:
    """What these pages say of a request."""

    batch: _Survey
    offered_languages: tuple[Language, ...]
    path: str = field(default=place("path"), init=False)


@dataclass(frozen=True)
class _Page:
    """A questionnaire of which nothing is answered, without its texts and codes."""

    pairs: range
    has_article: bool
    has_body: bool
    rated: int = field(default=0, init=False)
    missing: tuple[()] = field(default=(), init=False)

    @property
    def body(self) -> bool:
        return self.has_body


@dataclass(frozen=True)
class _Article:
    """What frames an article."""

    is_long: bool
    attributes: str
    title: str
    body: str
    paragraphs: str = field(default=place("paragraphs"), init=False)


@dataclass(frozen=True)
class _Coded:
    """An assignment that is open."""

    code: str = field(default=place("code"), init=False)
    is_submitted: bool = field(default=False, init=False)


@dataclass(frozen=True)
class _Progress:
    """How far a rater is: a number that differs from one to the next, where it is shown."""

    many: bool
    total: str = field(default=place("total"), init=False)


def may_be_kept(request: HttpRequest) -> bool:
    """Whether nothing but the page itself is to be shown: messages come with a log-in, or in a cookie."""
    return _MORE_COOKIES.isdisjoint(request.COOKIES)


def is_fresh(assignment: Assignment, page: QuestionnaireView) -> bool:
    """Whether the page of this questionnaire shows nothing that its rater has done."""
    is_open = assignment.state == AssignmentState.OPEN and not assignment.comment
    return is_open and not any(pair.is_answered or pair.missing for pair in page.pairs)


def show_first_page(request: HttpRequest, context: Mapping[str, Any], *, status: int) -> HttpResponse:
    """`survey/join.html` for a newcomer, with the context that Django's way is given."""
    values = dict(context)
    own = {"join_key": values.pop("join_key"), "path": request.path}
    return _show(request, "survey/join.html", values, own, status=status)


def show_questionnaire(request: HttpRequest, context: Mapping[str, Any]) -> HttpResponse:
    """`survey/questionnaire.html` of a page that `is_fresh`, with the context that Django's way is given."""
    page: QuestionnaireView = context["page"]
    code: str = context["assignment"].code
    values = dict(context) | {
        "page": _Page(range(len(page.pairs)), page.has_article, page.has_body),
        "assignment": _Coded(),
        "progress": _Progress(context["progress"].many),
        "script_texts": ScriptTexts(len(page.pairs)),
    }
    own = {
        "code": code,
        "total": context["progress"].total,
        "number": values.pop("number"),
        "sent_at": values.pop("sent_at"),
        "path": values.pop("address"),
        "article": _article(page, code),
        "pairs": _pairs(page, values),
    }
    return _show(request, "survey/questionnaire_fresh.html", values, own)


_token = lazy(get_token, str)
"""Asked for where a page has a form: asking sets a cookie."""


def _pairs(page: QuestionnaireView, values: Mapping[str, Any]) -> SafeString:
    common = {
        "total": len(page.pairs),
        "attributes": page.attributes,
        "value": None,
        "wording": values["wording"],
        "reasons": page.said_reasons,
        "longest_reason": page.longest_reason,
        "read_only": values["read_only"],
        "article_link": page.has_body,
    }
    return mark_safe("".join(_pair(pair, common) for pair in page.pairs))  # noqa: S308 - of kept parts


def _pair(pair: PairView, common: Mapping[str, Any]) -> SafeString:
    shown = {"position": pair.position, "is_long": pair.is_long, **common}
    own = {"code": pair.code, "left": pair.left, "right": pair.right}
    return put_together("survey/_item.html", shown, own)


def _article(page: QuestionnaireView, code: str) -> SafeString:
    if not page.has_article:
        return mark_safe("")
    title, body = page.title and place("title"), page.body and place("body")
    frame = _Article(page.is_long, page.attributes, title, body)
    own = {"title": page.title, "body": page.body, "paragraphs": page.paragraphs, "code": code}
    return put_together("survey/_article.html", {"page": frame, "assignment": _Coded()}, own)


def _show(
    request: HttpRequest,
    template: str,
    values: Mapping[str, Any],
    own: Mapping[str, Any],
    status: int = 200,
) -> HttpResponse:
    """values: with the batch of the page, in whose stead, too, stands what the page says of it."""
    batch: Batch = values["batch"]
    survey = _Survey(str(batch.token), batch.equal_pairs_once)
    offered: list[Language] = request.offered_languages  # type: ignore[attr-defined]
    shown = {**values, "batch": survey, "request": _Request(survey, tuple(offered))}
    given = {**own, "csrf_token": _token(request)}
    return HttpResponse(put_together(template, shown, given, is_page=True), status=status)
