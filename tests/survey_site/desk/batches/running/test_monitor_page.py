"""The page of a running batch, and the download of its ratings."""

import csv
import re

import pytest
from django.urls import reverse

from survey_site.batches.services import close_batch
from survey_site.survey.models import Rater
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all
from tests.survey_site.desk.batches.pages import page_text, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch():
    return make_batch()


def test_closing_asks_first(admin_client, batch):
    make_assignment(batch)
    assert "Close the batch" in page_text(admin_client.get(url("close", batch.pk)))
    admin_client.post(url("close", batch.pk))
    batch.refresh_from_db()
    assert batch.status == "closed"


def test_the_monitor_shows_the_link_and_the_numbers(admin_client, batch):
    submit_all(make_assignment(batch))
    submit_all(make_assignment(batch, rater=make_rater(batch, simulated=True)))
    page = admin_client.get(url("monitor", batch.pk))
    assert f'value="http://testserver/s/{batch.token}/"' in page.content.decode()
    text = page_text(page)
    assert "2 of 4 completed" in text
    assert "Contains simulated raters" in text
    assert text.count("Simulated") == 1
    assert '<noscript><meta http-equiv="refresh" content="30"></noscript>' in page.content.decode()


def test_names_of_raters_are_for_admins(admin_client, researcher_client, batch):
    Rater.objects.filter(pk=make_rater(batch).pk).update(name="Ada Lovelace")
    assert "Ada Lovelace" in page_text(admin_client.get(url("monitor", batch.pk)))
    assert "Ada Lovelace" not in page_text(researcher_client.get(url("monitor", batch.pk)))


def test_no_name_stands_beside_a_pseudonym(admin_client, batch):
    """Whoever sees which system wrote what is not told who rated it: not even by the order of two lists."""
    raters = [make_rater(batch) for _ in range(3)]
    for rater, name in zip(raters, ("ben", "Ada", "Cy"), strict=True):
        Rater.objects.filter(pk=rater.pk).update(name=name)
    page = admin_client.get(url("monitor", batch.pk)).content.decode()
    names = re.search(r'<details class="disclosure" id="names">.*?</details>', page, re.DOTALL).group()
    assert re.findall(r"<li>(.+?)</li>", names) == ["Ada", "ben", "Cy"]
    assert [rater.code in names for rater in raters] == [False] * 3
    assert [f">{name}<" in page.replace(names, "") for name in ("ben", "Ada", "Cy")] == [False] * 3
    superuser = make_user(role="admin")
    superuser.is_staff = superuser.is_superuser = True
    superuser.save()
    admin_client.force_login(superuser)
    row = admin_client.get(f"/admin/survey/rater/{raters[0].pk}/change/").content.decode()
    assert (raters[0].code in row, ">ben<" in row) == (True, False)


def test_a_closed_batch_is_not_polled(admin_client, batch):
    close_batch(batch=batch, now=NOW)
    page = admin_client.get(url("monitor", batch.pk)).content.decode()
    periods = re.findall(r'data-refresh-every="(\d+)"', page)
    assert (periods, "Link for raters" in page, "Closed" in page) == (["0", "0"], False, True)


def test_the_download_is_the_ratings_that_count(researcher_client):
    batch = make_batch(corpus=make_corpus(documents=1, systems=1), raters=1)
    late = make_assignment(batch)
    submit_all(make_assignment(batch, now=NOW.replace(hour=12)), value=5, now=NOW.replace(hour=12))
    submit_all(late, value=2, now=NOW.replace(hour=12))

    def download(**query):
        response = researcher_client.get(url("ratings", batch.pk, **query))
        assert response["Content-Disposition"] == f'attachment; filename="ratings-batch-{batch.pk}.csv"'
        return list(csv.DictReader(response.getvalue().decode().splitlines()))

    assert [(row["rating"], row["state"]) for row in download()] == [("5", "submitted")] * 2
    with_surplus = sorted((row["rating"], row["state"]) for row in download(include="surplus"))
    assert with_surplus == [("2", "surplus")] * 2 + [("5", "submitted")] * 2


@pytest.mark.parametrize("raters", [1, 5])
def test_the_monitor_takes_the_same_queries_for_any_number_of_raters(
    researcher_client, raters, django_assert_num_queries
):
    batch = make_batch(corpus=make_corpus(documents=3))
    for _ in range(raters):
        submit_all(make_assignment(batch))
    with django_assert_num_queries(22):
        researcher_client.get(url("monitor", batch.pk))
    with django_assert_num_queries(17):
        researcher_client.get(url("progress", batch.pk))


def test_the_monitor_leads_to_the_page_of_who_has_completed_something(researcher_client, batch):
    done, held = submit_all(make_assignment(batch)).rater, make_assignment(batch).rater
    pages = [reverse("quality:rater", args=[batch.pk, one.code]) for one in (done, held)]
    text = researcher_client.get(url("monitor", batch.pk)).content.decode()
    assert [f'href="{page}"' in text for page in pages] == [True, False]
    assert [researcher_client.get(page).status_code for page in pages] == [200, 404]
