"""The PDF of a report is typeset once, when it is built, and sent as it is."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.urls import reverse

from meta_eval.publish.files import FILES, ReportFile
from survey_site.reports import typesetting
from survey_site.reports.contents import report_content
from survey_site.reports.models import KeptPdf, Report
from survey_site.reports.tasks import build_report_task
from survey_site.reports.typesetting import keep_pdf, take_pdf


@pytest.fixture
def typeset(monkeypatch):
    """How often a PDF is typeset; each says its number, for a real one takes seconds."""
    made = []

    def make(content):
        made.append(content.view)
        return f"%PDF {len(made)}".encode()

    file = FILES["report.pdf"]
    stand_in = ReportFile(name=file.name, form=file.form, content_type=file.content_type, title="", make=make)
    monkeypatch.setattr(typesetting, "PDF", stand_in)
    return made


@pytest.fixture
def download(researcher_client, report):
    def get(**query):
        return researcher_client.get(reverse("reports:file", args=[report.pk, "report.pdf"]), query).content

    return get


def test_what_was_typeset_with_the_report_is_sent(report, typeset, download):
    keep_pdf(report)
    assert (download(), download(), len(typeset)) == (b"%PDF 1", b"%PDF 1", 1)


def test_the_first_download_keeps_it_where_nobody_did(report, typeset, download):
    assert (download(), download(), len(typeset)) == (b"%PDF 1", b"%PDF 1", 1)


def test_a_worker_typesets_the_report_that_it_built(report, typeset):
    Report.objects.update(status="queued")
    build_report_task(report.pk)
    assert bytes(KeptPdf.objects.get().content) == b"%PDF 1"


def test_other_scores_in_view_are_typeset_anew_and_not_kept(report, typeset, download):
    keep_pdf(report)
    assert (download(score="perseval"), download(score="perseval"), download()) == (
        b"%PDF 2",
        b"%PDF 3",
        b"%PDF 1",
    )


@pytest.mark.parametrize("changed", ["code", "result", "name"])
def test_what_other_code_made_or_of_another_result_is_not_taken(
    report, typeset, download, monkeypatch, changed
):
    keep_pdf(report)
    if changed == "code":
        monkeypatch.setattr(typesetting, "_code", lambda: "another")
    elif changed == "result":
        Report.objects.update(finished_at=report.finished_at + timedelta(seconds=1))
    else:
        report.batch.name = "Another name"
        report.batch.save()
    assert (download(), download(), KeptPdf.objects.count()) == (b"%PDF 2", b"%PDF 2", 1)


def test_a_changed_template_is_other_code(monkeypatch, tmp_path):
    monkeypatch.setattr(typesetting.meta_eval, "__file__", str(tmp_path / "__init__.py"))
    found = []
    for template in ("#set page()", "#set page(flipped: true)"):
        (tmp_path / "pages.typ").write_text(template, encoding="utf-8")
        found.append(typesetting._code.__wrapped__())
    assert found[0] != found[1]


def test_a_pdf_that_cannot_be_made_loses_no_report(report, monkeypatch, caplog):
    monkeypatch.setattr(typesetting, "take_pdf", lambda *_: 1 / 0)
    keep_pdf(report)
    assert "could not be typeset ahead" in caplog.text
    assert (KeptPdf.objects.count(), Report.objects.get(pk=report.pk).is_done) == (0, True)


def test_of_a_report_that_was_deleted_meanwhile_nothing_is_kept(report, monkeypatch):
    one = Report.objects.filter(pk=report.pk)
    monkeypatch.setattr(typesetting, "PDF", SimpleNamespace(make=lambda _content: one.delete() and b"%PDF"))
    assert take_pdf(report, report_content(report)) == b"%PDF"
    assert (KeptPdf.objects.count(), one.count()) == (0, 0)
