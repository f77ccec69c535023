"""Who may see which rows: the one place that says it, for pages, programs, forms, mails and downloads.

Whoever may see every project (`Right.PROJECTS`) sees all; others see what belongs to projects of which they
are a member. What somebody may not see is not there for them: 404, as for what never was.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model, Q, QuerySet
from django.shortcuts import get_object_or_404

from survey_site.projects.models import Project

Row = TypeVar("Row", bound=Model)

OF_CORPUS, OF_BATCH = "corpus__project", "batch__corpus__project"
PATHS: Mapping[str, str] = {
    "projects.project": "pk",
    "corpus.corpus": "project",
    "batches.batch": OF_CORPUS,
    "scoring.scorerun": OF_CORPUS,
    "scoring.givendistances": OF_CORPUS,
    "scoring.ratingset": OF_BATCH,
    "notices.notice": OF_BATCH,
    "uploads.upload": OF_BATCH,
    "survey.rater": OF_BATCH,
    "model_raters.modelrun": OF_BATCH,
    "reports.report": OF_BATCH,
    "studies.study": "project",
    "survey.rating": "assignment_item__assignment__questionnaire__batch__corpus__project",
}
"""How each table that staff see leads to its project."""
MOST_DIGITS = 19
"""A key with as many fits no column."""
OWNERS: Mapping[str, str] = {"notices.notice": "owner"}
"""Tables of which some rows are for one person alone, whatever the project, and who that is."""


def projects_of(user: Any) -> "QuerySet[Project]":
    """Those that somebody sees."""
    if not user.is_authenticated:
        return Project.objects.none()
    every = Project.objects.all()
    return every if user.sees_all_projects else every.filter(memberships__user=user)


def visible(rows: "QuerySet[Row]", user: Any) -> "QuerySet[Row]":
    """Those of the rows that this person may see. Raises ImproperlyConfigured for a table without a path."""
    path, owner = _path_of(rows.model), OWNERS.get(rows.model._meta.label_lower)
    if not user.is_authenticated:
        return rows.none()
    seen = Q() if user.sees_all_projects else Q(**{f"{path}__in": projects_of(user).order_by().values("pk")})
    if owner:
        seen &= Q(**{owner: None})
        seen |= Q(**{owner: user.pk})
    return rows.filter(seen)


def listed(rows: "QuerySet[Row]", user: Any, *wanted: object) -> "QuerySet[Row]":
    """Those that a page lists or offers: what this person may see, of the project that they show alone.

    wanted: keys that an address or a form asks for. Where one of them is of another project, everything that
    the person may see is offered: a link to a thing holds whatever the head of the page shows.
    """
    seen = visible(rows, user)
    if user.shown_project is None:
        return seen
    shown = Q(**{_path_of(rows.model): user.shown_project})
    keys = {str(one) for one in wanted if str(one).isdecimal() and len(str(one)) < MOST_DIGITS}
    reaches_further = bool(keys) and seen.filter(~shown, pk__in=keys).exists()
    return seen if reaches_further else seen.filter(shown)


def get_visible_or_404(rows: "QuerySet[Row] | type[Row]", user: Any, pk: object) -> Row:
    """The row with that key, where this person may see it; Http404 where not, or where there is none."""
    found = rows if isinstance(rows, QuerySet) else rows._default_manager.all()
    return get_object_or_404(visible(found, user), pk=pk)


def project_key(row: Model) -> int | None:
    """The key of the project that a row belongs to; None for what belongs to none, such as an account."""
    path = PATHS.get(row._meta.label_lower)
    if path is None:
        return None
    *steps, last = path.split("__")
    for step in steps:
        row = getattr(row, step)
    found: int = row.pk if last == "pk" else getattr(row, f"{last}_id")
    return found


def has_project(model: type[Model]) -> bool:
    return model._meta.label_lower in PATHS


def _path_of(model: type[Model]) -> str:
    try:
        return PATHS[model._meta.label_lower]
    except KeyError:
        raise ImproperlyConfigured(
            f"{model._meta.label} has no path to a project: say in PATHS how it leads there."
        ) from None
