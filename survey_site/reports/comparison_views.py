"""The page of two reports side by side, for every researcher."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from meta_eval.report.view import KINDS
from survey_site.accounts.permissions import researcher_required
from survey_site.reports.comparison import compare_reports
from survey_site.reports.models import Report
from survey_site.scoring.models import JobStatus


class _ReportChoice(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic at run time
    def label_from_instance(self, report: Report) -> str:
        return f"No. {report.pk}: {report.batch.name}, {report.created_at:%d %b %Y %H:%M}"


class CompareForm(forms.Form):
    a = _ReportChoice(queryset=Report.objects.none(), label="First report", empty_label="Choose …")
    b = _ReportChoice(queryset=Report.objects.none(), label="Second report", empty_label="Choose …")
    score = forms.ChoiceField(choices=list(KINDS.items()), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        finished = Report.objects.filter(status=JobStatus.DONE).select_related("batch")
        for name in ("a", "b"):
            self.fields[name].queryset = finished  # type: ignore[attr-defined]


@require_safe
@researcher_required
def compare(request: HttpRequest) -> HttpResponse:
    """`?a=` and `?b=` choose the reports, `?score=` what of them; with less there is only the form."""
    chosen = "a" in request.GET and "b" in request.GET
    form = CompareForm(request.GET) if chosen else CompareForm(initial=request.GET.dict())
    context: dict[str, Any] = {"form": form}
    if chosen and form.is_valid():
        a, b = form.cleaned_data["a"], form.cleaned_data["b"]
        kind = form.cleaned_data["score"] or "perseval"
        first, second = a.read(), b.read()
        context |= {"a": a, "b": b, "kind": kind, "title": KINDS[kind]}
        context["sentences"] = [(a, first.answer.sentence), (b, second.answer.sentence)]
        context["comparison"] = compare_reports(first, second, kind)
    return render(request, "reports/compare.html", context)
