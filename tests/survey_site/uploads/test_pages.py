"""The pages: upload, and what a batch, its quality and its lists say of ratings from elsewhere."""

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from meta_eval.ratings.responses import write_responses
from survey_site.accounts.permissions import Role
from survey_site.batches.models import Batch
from survey_site.quality.assessment import assess_batch
from survey_site.quality.checks import check_raters
from survey_site.reports.models import Report
from tests.factories.accounts import make_project, make_user
from tests.factories.batches import NOW
from tests.factories.scoring import make_scored_corpus
from tests.survey_site.uploads.examples import plain_rows, read, upload, write_rows

pytestmark = pytest.mark.django_db
NEW = "/batches/upload/"


def text_of(response):
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split()))


@pytest.fixture
def path(tmp_path):
    return write_rows(tmp_path / "ours.csv", plain_rows())


def post(client, path, corpus, **said):
    file = SimpleUploadedFile("ours.csv", path.read_bytes())
    data = {"corpus": corpus.pk, "file": file, "scale": "similarity", **said}
    return client.post(NEW, data, follow=True)


def test_an_upload_leads_to_its_batch(admin_client, path):
    response = post(admin_client, path, make_scored_corpus())
    batch = Batch.objects.get()
    assert (batch.name, batch.scale, batch.raters) == ("ours", "similarity", 2)
    assert response.redirect_chain == [(batch.get_absolute_url(), 302)]
    text = text_of(response)
    assert "24 ratings by 2 raters taken, 0 left out" in text
    assert re.search(r"Uploaded from ours\.csv on .+ by adam\.", text)
    assert next_buttons(response) == [reverse("quality:detail", args=[batch.pk])]
    for word in ("Link for raters", "Taking part", "Preview", "in progress", "Extend", "Last answer"):
        assert word not in text


def next_buttons(page):
    (step,) = re.findall(r'<section class="next.*?</section>', page.content.decode(), re.DOTALL)
    return re.findall(r'button--primary" href="([^"]+)"', step)


def test_after_an_upload_come_quality_report_and_then_the_freeze(researcher_client, admin_client, path):
    """What cannot be undone comes last, and a researcher gets as far as the report."""
    post(researcher_client, path, make_scored_corpus())
    batch = Batch.objects.get()
    address, new = batch.get_absolute_url(), f"{reverse('reports:new')}?batch={batch.pk}"
    quality = reverse("quality:detail", args=[batch.pk])
    assert next_buttons(researcher_client.get(address)) == [quality]
    assert researcher_client.get(quality).status_code == 200
    assert next_buttons(researcher_client.get(address)) == [new]
    assert b"freeze the batch first" not in researcher_client.get(new).content
    Report.objects.create(batch=batch, options={}, created_at=NOW)
    assert next_buttons(researcher_client.get(address)) == []
    assert next_buttons(admin_client.get(address)) == [reverse("quality:freeze", args=[batch.pk])]


def test_the_same_file_again_says_that_it_is_there(admin_client, path):
    corpus = make_scored_corpus()
    post(admin_client, path, corpus)
    assert "This file was already here" in text_of(post(admin_client, path, corpus, name="Other"))
    assert Batch.objects.count() == 1


def test_every_fault_is_told_with_its_line(admin_client, tmp_path):
    rows = plain_rows()
    rows[1]["rating"], rows[20]["system"] = 9, "Nobody"
    response = post(admin_client, write_rows(tmp_path / "bad.csv", rows), make_scored_corpus())
    text = text_of(response)
    assert response.status_code == 422
    assert "Nothing was imported: 3 faults in the files" in text
    assert "ours.csv 3 rating '9' is not a whole number from 1 to 6" in text
    assert "ours.csv 22 system 'Nobody' has no summary of document 'doc3' for reader 'reader2'" in text
    assert not Batch.objects.exists()


def test_the_direction_of_the_scale_is_never_guessed(admin_client, path):
    page = admin_client.get(NEW).content.decode()
    scales = re.findall(r'<input type="radio" name="scale"[^>]*>', page)
    assert (len(scales), "checked" in "".join(scales)) == (2, False)
    response = post(admin_client, path, make_scored_corpus(), scale="")
    assert response.status_code == 422
    assert list(response.context["form"].errors) == ["scale"]


def test_one_label_alone_is_refused(admin_client, path):
    response = post(admin_client, path, make_scored_corpus(), low_label="very low")
    assert list(response.context["form"].errors) == ["high_label"]


def test_a_file_beyond_the_limit_is_refused(admin_client, path, settings):
    settings.CONCORD_UPLOAD_LIMIT_MB = 0
    text = text_of(post(admin_client, path, make_scored_corpus()))
    assert "this page takes 0 MB. Import with `manage.py import_ratings` on the server instead." in text


def test_the_page_of_a_corpus_leads_here_with_the_corpus_chosen(admin_client):
    corpus = make_scored_corpus()
    address = f"{NEW}?corpus={corpus.pk}"
    assert f'href="{address}"' in admin_client.get(corpus.get_absolute_url()).content.decode()
    assert f'<option value="{corpus.pk}" selected>' in admin_client.get(address).content.decode()


def test_researchers_upload_to_corpora_of_their_projects(researcher_client, client, path):
    assert client.get(NEW).status_code == 302
    assert "Upload ratings" in text_of(researcher_client.get(reverse("batches:list")))
    foreign = make_scored_corpus()
    foreign.project = make_project()
    foreign.save()
    assert "corpus" in post(researcher_client, path, foreign).context["form"].errors
    auditor = Client()
    auditor.force_login(make_user(role=Role.AUDITOR))
    assert (auditor.get(NEW).status_code, Batch.objects.count()) == (403, 0)
    assert "Upload ratings" not in text_of(auditor.get(reverse("batches:list")))


@pytest.mark.parametrize("name", ["preview", "participation"])
def test_pages_of_taking_part_are_not_there(admin_client, path, name):
    batch = upload(path, make_scored_corpus()).batch
    response = admin_client.get(reverse(f"batches:{name}", args=[batch.pk]))
    assert response.status_code == 404
    assert "Nobody takes part in this batch here: its ratings were uploaded." in text_of(response)


def test_the_list_of_batches_says_that_ratings_were_uploaded(admin_client, path):
    upload(path, make_scored_corpus())
    text = text_of(admin_client.get(reverse("batches:list")))
    assert "Elsewhere Closed News 3 3 uploaded Similarity –" in text


def test_quality_tests_no_position_and_no_time_that_nobody_knows(researcher_client, path):
    batch = upload(path, make_scored_corpus()).batch
    assert assess_batch(batch).positions is None
    (ann, bob) = check_raters(batch)
    assert (ann.timed, ann.hurried, bob.hurried, ann.gold.pages) == (False, 0, 0, 3)
    text = text_of(researcher_client.get(reverse("quality:detail", args=[batch.pk])))
    assert "Over the 24 ratings that count." in text
    assert "Not known for uploaded ratings The file does not say where on its page each pair stood" in text
    assert "How long pages took is not known for uploaded ratings, so nobody can be too fast." in text


def test_positions_that_a_file_gives_are_tested(tmp_path):
    rows = [
        {**row, "questionnaire": 1 + n // 8, "position": 1 + n % 4, "flipped": "false"}
        for n, row in enumerate(plain_rows())
    ]
    positions = assess_batch(
        upload(write_rows(tmp_path / "r.csv", rows), make_scored_corpus()).batch
    ).positions
    assert (positions.pages, positions.reason) == (6, "6 completed questionnaires, at least 10 are needed")


def test_a_page_without_gold_has_no_rank_of_gold(tmp_path):
    rows = [row for row in plain_rows(["ann"]) if row["system"] != "user"]
    (ann,) = check_raters(upload(write_rows(tmp_path / "r.csv", rows), make_scored_corpus()).batch)
    assert (ann.gold.pages, ann.gold.rank, ann.pages[0].gold_first) == (0, None, [])


def test_nothing_is_said_of_raters_that_a_file_does_not_name(researcher_client, tmp_path, path):
    corpus = make_scored_corpus()
    write_responses([row.rating for row in read(path, corpus).rows], tmp_path / "survey.db")
    batch = upload(tmp_path / "survey.db", corpus).batch
    assert check_raters(batch) == []
    quality = text_of(researcher_client.get(reverse("quality:detail", args=[batch.pk])))
    assert "The file does not say who rated, so no rater can be checked or excluded." in quality
    monitor = text_of(researcher_client.get(batch.get_absolute_url()))
    assert "response-" not in monitor
    assert "Raters Not known" in monitor


def test_raters_with_another_name_here_are_listed(researcher_client, tmp_path):
    rows = plain_rows(["a person's / full name"])
    batch = upload(write_rows(tmp_path / "r.csv", rows), make_scored_corpus()).batch
    text = text_of(researcher_client.get(batch.get_absolute_url()))
    assert f"In the file Here a person's / full name {batch.people.get().code}" in text


PLAIN = [{**row, "questionnaire": 1 + n // 8} for n, row in enumerate(plain_rows())]
KNOWN = {"position": lambda n: 1 + n % 4, "flipped": lambda _n: "false", "submitted_at": lambda _n: NOW}


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ((), "every rating with its rater, as the file says it;"),
        (("position",), "every rating with its rater and position, as the file says it;"),
        (tuple(KNOWN), "every rating with its rater, position, side and time, as the file says it;"),
    ],
)
def test_freezing_writes_down_what_the_file_says_and_no_more(admin_client, tmp_path, columns, said):
    rows = [{**row, **{name: KNOWN[name](n) for name in columns}} for n, row in enumerate(PLAIN)]
    batch = upload(write_rows(tmp_path / "r.csv", rows), make_scored_corpus()).batch
    freeze = reverse("quality:freeze", args=[batch.pk])
    text = text_of(admin_client.get(freeze))
    assert f"all that an analysis depends on: {said} what is excluded and why;" in text
    assert "the direction of the scale; the name and hash of the file." in text
    assert "Afterwards nothing is excluded or counted again; whoever needs more" in text
    text = text_of(admin_client.post(freeze, follow=True))
    assert "Nothing that counts can change any more: nothing is excluded or counted again. New report" in text


def test_ratings_of_nobody_known_are_frozen_as_such(admin_client, tmp_path, path):
    corpus = make_scored_corpus()
    write_responses([row.rating for row in read(path, corpus).rows], tmp_path / "survey.db")
    batch = upload(tmp_path / "survey.db", corpus, question="How alike?").batch
    text = text_of(admin_client.get(reverse("quality:freeze", args=[batch.pk])))
    assert "depends on: every rating, as the file says it;" in text
    assert "the direction of the scale and the wording you gave; the name" in text


def test_agreement_on_an_upload_is_not_so_far(researcher_client, path):
    batch = upload(path, make_scored_corpus()).batch
    for name in ("detail", "so-far"):
        text = text_of(researcher_client.get(reverse(f"quality:{name}", args=[batch.pk])))
        assert ("Agreement" in text, "so far" in text) == (True, False)
