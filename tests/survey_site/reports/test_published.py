"""Published tables: uploaded with the request, part of what the report is keyed by, and on its page."""

import io

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from meta_eval.report.published.reading import read_published
from survey_site.reports.models import Report
from tests.factories.reports import OPTIONS, make_report
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db

TABLE = "system,rouge-l,meteor\nCopy,0.5,0.5\nTheir mix,0.25,0.5\nElsewhere,0.1,0.1\n"


def table(text=TABLE):
    return read_published(io.BytesIO(text.encode()), "egises", name="table7.csv")


def form_data(batch, **values):
    plain = {
        "batch": batch.pk,
        **OPTIONS,
        "normalise": "document",
        "beta": "1.7",
        "alpha": "3",
        "gamma": "4",
        "p_acc_alpha": "0.5",
        "p_acc_beta": "1",
        "mode": "paper",
        "resampled": "documents",
        "adjustment": "holm",
        "resamples": "1000",
        "seed": "0",
    }
    return {**plain, **values}


@pytest.fixture(autouse=True)
def unsent(monkeypatch):
    monkeypatch.setattr("survey_site.reports.views.enqueue_report", lambda _report: None)


def upload(text=TABLE, name="table7.csv"):
    return SimpleUploadedFile(name, text.encode(), content_type="text/csv")


def test_an_upload_is_stored_with_the_request(researcher_client):
    batch = make_rated_batch()
    data = form_data(batch, published_egises=upload(), same_systems="Mixed = Their mix\n\n")
    response = researcher_client.post(reverse("reports:new"), data)
    report = Report.objects.get()
    assert (response.status_code, response.url) == (302, report.get_absolute_url())
    assert report.options["published"] == [table().as_record()]
    assert report.options["same_systems"] == {"Mixed": "Their mix"}


def test_without_an_upload_nothing_is_stored(researcher_client):
    researcher_client.post(reverse("reports:new"), form_data(make_rated_batch()))
    assert {"published", "same_systems"} & set(Report.objects.get().options) == set()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"published_egises": "name,jsd\nA,1\n"}, "table7.csv:1: the header lacks the columns system"),
        ({"published_egises": TABLE, "same_systems": "Mixed"}, "Write one pair a line"),
        ({"published_egises": TABLE, "same_systems": "Mxed = Their mix"}, "there is no system Mxed here"),
        ({"published_egises": TABLE, "same_systems": "Mixed = Nobody"}, "has a system Nobody"),
        ({"published_egises": TABLE * 20_000}, "This is larger than 1 MB; is it the right file?"),
    ],
)
def test_faults_stand_beside_the_field(researcher_client, values, message):
    files = {name: upload(text) if name == "published_egises" else text for name, text in values.items()}
    response = researcher_client.post(reverse("reports:new"), form_data(make_rated_batch(), **files))
    assert response.status_code == 422
    assert message in response.content.decode().replace("&#x27;", "'")
    assert Report.objects.count() == 0


def test_other_published_numbers_are_another_report():
    batch = make_rated_batch()
    plain = make_report(batch=batch, built=False)
    first = make_report(batch=batch, built=False, published=[table()])
    assert plain != first == make_report(batch=batch, built=False, published=[table()])
    assert first != make_report(batch=batch, built=False, published=[table("system,jsd\nCopy,0.2\n")])
    with pytest.raises(ValidationError, match="there is no system Nobody here"):
        make_report(batch=batch, built=False, published=[table()], same_systems={"Nobody": "Elsewhere"})


def test_the_page_and_the_files_show_ours_beside_theirs(researcher_client):
    report = make_report(published=[table()], same_systems={"Mixed": "Their mix"})
    (found,) = report.result["published"]
    ours = {row["system"]: row["ours"] for row in found["rows"]}
    assert list(ours) == ["Copy", "Mixed"]
    page = researcher_client.get(report.get_absolute_url()).content.decode()
    text = page.replace("&#x27;", "'")
    assert "Beside published numbers" in text
    assert '<th scope="row">Mixed (Their mix)</th>' in text
    cell = f'<span class="strong">{ours["Mixed"]:.3f}</span> <span class="muted">0.250</span>'
    assert f'{cell}<br><span class="muted small">{ours["Mixed"] - 0.25:+.3f}</span>'.replace("-", "−") in (
        text.replace("-", "−")
    )
    assert "Only in the published table: system Elsewhere; measure METEOR." in text
    lines = researcher_client.get(
        reverse("reports:file", args=[report.pk, "tables/published.csv"])
    ).content.decode()
    assert repr(ours["Mixed"] - 0.25) in lines


def test_a_report_without_tables_has_no_such_section(researcher_client):
    page = researcher_client.get(make_report().get_absolute_url()).content.decode()
    assert "Beside published numbers" not in page


def test_reports_side_by_side_name_the_tables(researcher_client):
    batch = make_rated_batch()
    plain, with_table = make_report(batch=batch), make_report(batch=batch, published=[table()])
    address = f"{reverse('reports:compare')}?a={plain.pk}&b={with_table.pk}"
    assert "egises: table7.csv" in researcher_client.get(address).content.decode()
