"""The first page: numbers, the next step, and who sees what."""

import re

import pytest

from survey_site.accounts.permissions import Role
from survey_site.corpus.models import Corpus
from survey_site.desk.home import Dashboard
from tests.factories.accounts import make_user
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db

HOME_QUERIES = (
    11  # session, account, projects, notices, four counts, batches, reports, what is reported first
)


def due(page: str) -> str:
    """The title of the step that is marked as the next one."""
    (card,) = re.findall(r'card--current">(.*?)</li>', page, re.DOTALL)
    return re.search(r"</span> (.*?)</h2>", card)[1]


@pytest.mark.parametrize(
    ("numbers", "step"),
    [
        ({}, "import"),
        ({"corpora": 1}, "plan"),
        ({"corpora": 1, "drafts": 1}, "plan"),
        ({"corpora": 1, "live": 1}, "collect"),
        ({"corpora": 1, "live": 1, "ratings": 9}, "report"),
        ({"corpora": 1, "closed": 1, "ratings": 9}, "report"),
        ({"corpora": 1, "live": 1, "ratings": 9, "reports": 1}, "collect"),
        ({"corpora": 1, "closed": 1, "ratings": 9, "reports": 1}, "report"),
    ],
)
def test_the_next_step_follows_from_the_numbers(numbers, step):
    nothing = dict.fromkeys(("corpora", "drafts", "live", "closed", "ratings", "reports"), 0)
    assert Dashboard(**nothing | numbers).next_step == step


def test_a_visitor_is_told_what_people_do_here_and_nothing_about_the_studies(client):
    make_corpus(name="Secret study")
    page = client.get("/").content.decode()
    assert "How alike are two texts?" in page
    assert 'href="/accounts/login/"' in page
    assert "Secret study" not in page


def test_at_first_one_imports(researcher_client):
    page = researcher_client.get("/").content.decode()
    assert due(page) == "Import a corpus"
    assert 'class="button button--primary" href="/corpora/import/"' in page


def test_with_a_corpus_an_admin_plans(admin_client):
    make_corpus()
    page = admin_client.get("/").content.decode()
    assert due(page) == "Plan a batch"
    assert 'href="/batches/new/"' in page


def test_each_role_sees_its_own_steps(admin_client, researcher_client, client):
    """A researcher plans nothing but has ratings to upload; an auditor does nothing here."""
    make_corpus()
    client.force_login(make_user(role=Role.AUDITOR))
    pages = [one.get("/").content.decode() for one in (admin_client, researcher_client, client)]
    assert [len(re.findall("steps__number", page)) for page in pages] == [4, 3, 0]
    primary = [re.findall(r'button--primary" href="([^"]+)"', page) for page in pages]
    assert primary == [["/batches/new/"], ["/batches/upload/"], []]
    assert 'href="/batches/new/"' not in pages[1]
    assert [page.count('href="/batches/upload/"') > 0 for page in pages] == [True, True, False]


def test_open_batches_are_listed_with_their_progress(researcher_client):
    batch = make_batch(name="First survey")
    make_batch(name="Still a draft", corpus=make_corpus(), launched=False)
    page = researcher_client.get("/").content.decode()
    assert due(page) == "Bring ratings"
    assert f'<a href="{batch.get_absolute_url()}">First survey</a>' in page
    assert f">0 of {batch.questionnaires.count() * batch.raters}</span>" in page
    assert "not launched yet" in page


def test_a_live_batch_stands_before_newer_drafts(researcher_client):
    corpus = make_corpus()
    live = make_batch(name="Live", corpus=corpus)
    for number in range(7):
        make_batch(name=f"Draft {number}", corpus=corpus, launched=False)
    response = researcher_client.get("/")
    assert [one.name for one in response.context["batches"]] == [
        live.name,
        *(f"Draft {number}" for number in range(6, 1, -1)),
    ]
    assert 'href="/batches/?state=live">1 batch is live</a>' in response.content.decode()


@pytest.mark.parametrize("batches", [1, 3])
def test_the_page_costs_the_same_however_many_batches(researcher_client, django_assert_num_queries, batches):
    for _ in range(batches):
        make_batch(corpus=make_corpus())
    with django_assert_num_queries(HOME_QUERIES):
        researcher_client.get("/")
    assert Corpus.objects.count() == batches


def test_the_navigation_marks_where_one_is(researcher_client):
    page = researcher_client.get("/corpora/").content.decode()
    links = re.findall(r'<a class="site-nav__link" href="([^"]+)"( aria-current="[a-z]+")?>', page)
    assert links == [
        ("/corpora/", ' aria-current="page"'),
        ("/batches/", ""),
        ("/reports/", ""),
        ("/help/", ""),
    ]
    deeper = researcher_client.get("/corpora/import/").content.decode()
    assert 'href="/corpora/" aria-current="true"' in deeper
    quality = researcher_client.get(f"/batches/{make_batch().pk}/quality/").content.decode()
    assert 'href="/batches/" aria-current="true"' in quality
