"""List and page of a corpus, and what they cost."""

import re

import pytest

from survey_site.corpus.models import Document, Reference, Summary
from survey_site.corpus.queries import describe_corpus, load_corpus
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db

LIST_QUERIES = 7  # session, account, projects, unread notices, whether there is any, number found, these
DETAIL_QUERIES = 15  # the first four, the gate, corpus, four of its overview, languages, documents, texts
LOAD_QUERIES = 5


def cells(page: str) -> list[list[str]]:
    """The text of each table row's cells."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    return [
        [
            " ".join(re.sub(r"<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in rows
    ]


def test_without_a_corpus_the_list_says_what_to_do(researcher_client):
    page = researcher_client.get("/corpora/").content.decode()
    assert "No corpus yet" in page
    assert page.count('href="/corpora/import/"') == 1


def test_the_list_has_the_numbers_of_each_corpus(researcher_client):
    make_corpus(name="Small", documents=1, readers=2, systems=1)
    make_corpus(name="Large", documents=4, readers=3, systems=2)
    rows = cells(researcher_client.get("/corpora/").content.decode())
    assert [row[:5] for row in rows[1:]] == [["Large", "4", "3", "12", "2"], ["Small", "1", "2", "2", "1"]]


@pytest.mark.parametrize("corpora", [1, 3])
def test_the_list_costs_the_same_however_long(researcher_client, django_assert_num_queries, corpora):
    for _ in range(corpora):
        make_corpus()
    with django_assert_num_queries(LIST_QUERIES):
        researcher_client.get("/corpora/")


@pytest.mark.parametrize("documents", [1, 3])
def test_the_page_costs_the_same_however_many_documents(
    researcher_client, django_assert_num_queries, documents
):
    corpus = make_corpus(documents=documents)
    with django_assert_num_queries(DETAIL_QUERIES):
        researcher_client.get(corpus.get_absolute_url())


@pytest.mark.parametrize("documents", [1, 3])
def test_loading_costs_the_same_however_many_documents(django_assert_num_queries, documents):
    corpus = make_corpus(documents=documents)
    with django_assert_num_queries(LOAD_QUERIES):
        load_corpus(corpus)


def test_the_page_shows_all_texts_of_a_document(researcher_client):
    corpus = make_corpus(documents=1, readers=2, systems=2)
    rows = cells(researcher_client.get(corpus.get_absolute_url()).content.decode())
    assert rows[-3:] == [
        ["Reader", "Gold reference", "System1", "System2"],
        ["reader1", "reference 1 1", "summary 1 1 1", "summary 1 2 1"],
        ["reader2", "reference 1 2", "summary 1 1 2", "summary 1 2 2"],
    ]


def test_missing_and_empty_texts_are_told_apart(researcher_client):
    corpus = make_corpus(documents=1, readers=3, systems=1)
    Summary.objects.filter(reader__key="reader1").delete()
    Summary.objects.filter(reader__key="reader2").update(text="")
    Reference.objects.filter(reader__key="reader3").delete()
    rows = cells(researcher_client.get(corpus.get_absolute_url()).content.decode())
    assert rows[-3:] == [
        ["reader1", "reference 1 1", "missing"],
        ["reader2", "reference 1 2", "empty"],
        ["reader3", "missing", "summary 1 1 3"],
    ]


def test_readers_are_counted_for_each_document():
    corpus = make_corpus(documents=3, readers=3, systems=1)
    Reference.objects.filter(document__key="doc1").exclude(reader__key="reader1").delete()
    overview = describe_corpus(corpus)
    assert [(row.readers, row.documents, row.percent) for row in overview.readers_per_document] == [
        (1, 1, 50.0),
        (3, 2, 100.0),
    ]
    assert (overview.references, overview.single_reader_documents) == (7, 1)
    assert overview.mean_readers == pytest.approx(7 / 3)


def test_systems_with_gaps_say_how_many():
    corpus = make_corpus(documents=2, readers=2, systems=2)
    Summary.objects.filter(system__name="System2", document__key="doc1").delete()
    systems = describe_corpus(corpus).systems
    assert [(row.name, row.summaries, row.missing) for row in systems] == [
        ("System1", 4, 0),
        ("System2", 2, 2),
    ]


def test_remarks_repeat_the_notes_and_add_what_scores_need():
    corpus = make_corpus(documents=2, readers=1)
    Document.objects.filter(key="doc1").update(body="")
    remarks = describe_corpus(corpus).remarks(["1 repeated keys; the later one stands"])
    assert [remark.split(".")[0] for remark in remarks] == [
        "1 repeated keys; the later one stands",
        "Documents with fewer than two readers: 2",
        "Documents without a body: 1 of 2",
    ]


def test_missing_bodies_are_told_once():
    corpus = make_corpus(documents=2, readers=2)
    Document.objects.update(body="")
    note = "no news file given: documents have no text"
    assert describe_corpus(corpus).remarks([note]) == ["No news file given: documents have no text."]


def test_a_corpus_without_oddities_has_no_remarks(researcher_client):
    corpus = make_corpus(documents=2, readers=2)
    assert describe_corpus(corpus).remarks([]) == []
    assert "Good to know" not in researcher_client.get(corpus.get_absolute_url()).content.decode()


def test_documents_are_found_by_id_and_title_in_this_corpus_only(researcher_client):
    corpus = make_corpus(documents=12)
    make_corpus(documents=12)
    found = researcher_client.get(corpus.get_absolute_url(), {"q": "DOC11"}).context["page"]
    assert [(row.key, row.corpus_id) for row in found] == [("doc11", corpus.pk)]
    by_title = researcher_client.get(corpus.get_absolute_url(), {"q": "title 12"}).context["page"]
    assert [row.key for row in by_title] == ["doc12"]


def test_a_search_without_a_find_says_so(researcher_client):
    corpus = make_corpus()
    page = researcher_client.get(corpus.get_absolute_url(), {"q": "<none>"}).content.decode()
    assert "No document has “&lt;none&gt;” in its id or title." in page


def test_pages_of_documents_keep_the_search(researcher_client):
    corpus = make_corpus(documents=12, readers=1, systems=1)
    page = researcher_client.get(corpus.get_absolute_url(), {"q": "doc"}).content.decode()
    assert "1 to 10 of 12 documents" in page
    assert 'href="?q=doc&amp;page=2"' in page


@pytest.mark.parametrize(("role", "links"), [("admin_client", 1), ("researcher_client", 0)])
def test_only_admins_are_offered_to_plan_a_batch(request, role, links):
    corpus = make_corpus()
    page = request.getfixturevalue(role).get(corpus.get_absolute_url()).content.decode()
    assert page.count(f'href="/batches/new/?corpus={corpus.pk}"') == links


def test_a_corpus_that_does_not_exist(researcher_client):
    assert researcher_client.get("/corpora/99/").status_code == 404


@pytest.mark.parametrize("path", ["/corpora/", "/corpora/import/", "/corpora/1/"])
def test_pages_need_an_account(client, path):
    assert client.get(path).headers["Location"] == f"/accounts/login/?next={path}"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["beta", "gamma", "alpha"]),
        ("?sort=oldest", ["alpha", "gamma", "beta"]),
        ("?sort=name", ["alpha", "beta", "gamma"]),
        ("?q=ALP", ["alpha"]),
        ("?q=elsewhere", []),
        ("?sort=nonsense&q=ALP", ["beta", "gamma", "alpha"]),
    ],
)
def test_the_list_is_searched_and_ordered(researcher_client, query, names):
    for name in ("alpha", "gamma", "beta"):
        make_corpus(name=name)
    response = researcher_client.get("/corpora/" + query)
    assert [one.name for one in response.context["page"]] == names
    assert ("No corpus matches." in response.content.decode()) == (names == [])
