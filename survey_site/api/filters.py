"""What narrows lists: the words, states and archive of staff's lists, as parameters of an address."""

from typing import Any, cast

from django import forms
from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema_field

from survey_site.common.list_filter import ARCHIVE, ListFilter
from survey_site.corpus.forms import CorpusFilter
from survey_site.desk.batches.list_forms import BatchFilter
from survey_site.reports.list_forms import ReportFilter
from survey_site.scoring.models import JobStatus, RunKind
from survey_site.studies.forms import StudyFilter

LARGEST = 2**63 - 1


def _like(form: type[ListFilter]) -> type[filters.FilterSet]:
    """The parameters q, state and archive, with the meaning that the form of the staff's list gives them."""

    def find(_self: Any, rows: "QuerySet[Any]", _name: str, value: str) -> "QuerySet[Any]":
        return rows.filter(Q.create([(f"{name}__icontains", value) for name in form.words], Q.OR))

    def in_state(_self: Any, rows: "QuerySet[Any]", _name: str, value: str) -> "QuerySet[Any]":
        return rows.filter(form.states[value][1])

    def narrow(self: Any, rows: "QuerySet[Any]") -> "QuerySet[Any]":
        found: QuerySet[Any] = filters.FilterSet.filter_queryset(self, rows)
        return found.filter(ARCHIVE[self.form.cleaned_data.get("archive") or ""][1])

    parameters: dict[str, Any] = {
        "q": filters.CharFilter(method="find", help_text=f"Words to look for: {form.searched.lower()}."),
        "archive": filters.ChoiceFilter(
            method="as_it_is",
            choices=[("only", "Nothing else"), ("with", "Shown too")],
            help_text="What is archived is left out, unless this says otherwise.",
        ),
    }
    if form.states:
        states = [(key, title) for key, (title, _) in form.states.items()]
        parameters["state"] = filters.ChoiceFilter(
            method="in_state", choices=states, help_text="Those in this state alone."
        )
    functions = {"find": find, "in_state": in_state, "filter_queryset": narrow, "as_it_is": _as_it_is}
    made = type(f"{form.__name__}Set", (filters.FilterSet,), {**parameters, **functions})
    return cast(type[filters.FilterSet], made)


def _as_it_is(_self: Any, rows: "QuerySet[Any]", _name: str, _value: str) -> "QuerySet[Any]":
    return rows


@extend_schema_field({"type": "integer", "minimum": 1})
class NumberOfThing(filters.NumberFilter):
    """The number by which the site knows something: a whole one that the database can hold."""

    field_class = forms.IntegerField

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, min_value=1, max_value=LARGEST)


class TrueOrFalseField(forms.Field):
    """One of these two words; nothing for no filter at all."""

    def to_python(self, value: Any) -> bool | None:
        """Raises ValidationError for any other word."""
        if value in self.empty_values:
            return None
        try:
            return {"true": True, "false": False}[str(value).lower()]
        except KeyError:
            raise forms.ValidationError("Send true or false.") from None


class TrueOrFalse(filters.BooleanFilter):
    """The framework's own takes every other word for no filter, and so answers what nobody asked for."""

    field_class = TrueOrFalseField

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.extra.pop("widget", None)


class CorpusFilterSet(_like(CorpusFilter)):  # type: ignore[misc]  # a class made by a function
    project = NumberOfThing(field_name="project_id", help_text="Those of this project alone.")


class StudyFilterSet(_like(StudyFilter)):  # type: ignore[misc]  # a class made by a function
    project = NumberOfThing(field_name="project_id", help_text="Those of this project alone.")


class NoticeFilterSet(filters.FilterSet):
    unread = TrueOrFalse(
        field_name="is_read", exclude=True, help_text="Those that you have not read (true), or have (false)."
    )
    batch = NumberOfThing(field_name="batch_id", help_text="Those about this batch alone.")


class BatchFilterSet(_like(BatchFilter)):  # type: ignore[misc]  # a class made by a function
    corpus = NumberOfThing(field_name="corpus_id", help_text="Those on this corpus alone.")
    project = NumberOfThing(field_name="corpus__project_id", help_text="Those of this project alone.")


class ReportFilterSet(_like(ReportFilter)):  # type: ignore[misc]  # a class made by a function
    batch = NumberOfThing(field_name="batch_id", help_text="Those on this batch alone.")
    project = NumberOfThing(field_name="batch__corpus__project_id", help_text="Those of this project alone.")


class ScoreRunFilterSet(filters.FilterSet):
    kind = filters.ChoiceFilter(choices=RunKind.choices, help_text="Automatic scores or human ones alone.")
    state = filters.ChoiceFilter(
        field_name="status", choices=JobStatus.choices, help_text="Those in this state alone."
    )
    corpus = NumberOfThing(field_name="corpus_id", help_text="Those on this corpus alone.")
    batch = NumberOfThing(field_name="batch_id", help_text="Human scores of this batch alone.")
