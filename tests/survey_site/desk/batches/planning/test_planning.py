"""The form of a batch: what it proposes, what it refuses, what it keeps."""

import re

import pytest

from survey_site.batches.models import Batch
from survey_site.batches.states import Scale
from survey_site.corpus.models import Document, Summary
from survey_site.desk.batches.planning.forms import initial_values
from survey_site.survey.people.participation import read_participation
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus
from tests.survey_site.desk.batches.pages import form_data, page_text, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch():
    return make_batch()


def test_all_that_is_wrong_is_told_at_once(admin_client):
    corpus = make_corpus(documents=2)
    wrong = {"documents": 9, "low_label": "Very similar", "opens_at": "2026-05-02T10:00"}
    response = admin_client.post(
        url("new", corpus=corpus.pk), form_data(corpus, **wrong, closes_at="2026-05-01T10:00")
    )
    assert set(response.context["form"].errors) == {"documents", "low_label", "closes_at"}
    assert Batch.objects.count() == 0


def test_what_is_wrong_is_one_click_away_from_the_top_of_the_form(admin_client):
    corpus = make_corpus()
    wrong = form_data(corpus, name="", systems=None, scale="other", low_label="x" * 81)
    page = admin_client.post(url("new", corpus=corpus.pk), wrong).content.decode()
    summary = re.search(r'<div class="notice notice--error".*?</div>', page, re.DOTALL).group()
    targets = re.findall(r'<p><a href="#([^"]+)">([^<]+)</a></p>', summary)
    assert [label for _, label in targets] == ["Name", "Systems", "Direction of the scale", "Label of 1"]
    assert [page.count(f'id="{target}"') for target, _ in targets] == [1, 1, 1, 1]


def test_researchers_do_not_plan(researcher_client):
    corpus = make_corpus()
    address = url("new", corpus=corpus.pk)
    assert researcher_client.post(address, form_data(corpus)).status_code == 403
    assert Batch.objects.count() == 0


def test_planning_starts_with_the_choice_of_a_corpus(admin_client):
    assert "No corpus yet" in page_text(admin_client.get(url("new")))
    make_corpus(name="Only one")
    assert "Only one" in page_text(admin_client.get(url("new")))
    assert admin_client.get(url("new", corpus=999)).status_code == 404


def test_an_untouched_form_makes_a_draft(admin_client, admin):
    corpus = make_corpus(documents=3)
    response = admin_client.post(url("new", corpus=corpus.pk), form_data(corpus))
    batch = Batch.objects.get()
    assert (response.status_code, response.url) == (302, url("monitor", batch.pk))
    assert (batch.name, batch.documents, batch.created_by, batch.status) == ("Pilot", 3, admin, "draft")
    assert (batch.question, batch.low_label) == (
        "How similar are the two texts in what they say?",
        "Very low similarity",
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "This field is required"),
        ({"documents": 9}, "9 documents are wanted; 2 of 2 have at least 1 reader pair(s)"),
        ({"document_keys": "doc1 nowhere"}, "The corpus has no document nowhere"),
        ({"documents": ""}, "All 2 that suit take 4 completed questionnaires."),
        ({"label_2": "Similar"}, "Give words to all of the points from 2 to 5, or to none of them."),
        ({"readers": 1}, "greater than or equal to 2"),
        ({"systems": []}, "This field is required"),
        ({"low_label": "Very similar"}, "This label belongs to a scale of dissimilarity"),
        ({"raters": 0}, "greater than or equal to 1"),
    ],
)
def test_a_mistake_is_explained_and_nothing_is_stored(admin_client, changes, message):
    corpus = make_corpus(documents=2)
    response = admin_client.post(url("new", corpus=corpus.pk), form_data(corpus, **changes))
    assert (response.status_code, message in page_text(response)) == (422, True)
    assert Batch.objects.count() == 0


def test_documents_may_be_named_one_a_line(admin_client):
    corpus = make_corpus(documents=3)
    admin_client.post(url("new", corpus=corpus.pk), form_data(corpus, document_keys="doc3\r\n doc1"))
    assert Batch.objects.get().document_keys == ["doc3", "doc1"]


def test_documents_are_picked_from_those_found_and_take_the_place_of_the_number(admin_client):
    corpus = make_corpus(documents=30)
    Document.objects.filter(key="doc7").update(title="The ferry")
    Summary.objects.filter(document__key="doc8").delete()
    address = url("new", corpus=corpus.pk)
    sent = form_data(corpus, name="", picked=["doc9"], find="FERRY", action="find")
    response = admin_client.post(address, sent)
    context = response.context
    assert (context["ticked"], context["found"]) == ([("doc9", "Title 9")], [("doc7", "The ferry")])
    assert (context["found_count"], context["suitable_count"], response.status_code) == (1, 29, 200)
    assert "This field is required" not in page_text(response)
    context = admin_client.post(address, sent | {"find": ""}).context
    assert ([len(context["found"]), context["found_count"]], Batch.objects.count()) == ([20, 28], 0)
    admin_client.post(address, form_data(corpus, picked=["doc9", "doc7"], document_keys="doc2 doc9"))
    draft = Batch.objects.get()
    assert (draft.document_keys, draft.documents) == (["doc9", "doc7", "doc2"], 3)
    page = admin_client.get(url("edit", draft.pk))
    assert page.context["open_groups"] == {"pick"}
    assert [key for key, _ in page.context["ticked"]] == draft.document_keys


def test_never_all_documents_by_default(admin_client):
    corpus = make_corpus(documents=250, readers=2, systems=1)
    response = admin_client.get(url("new", corpus=corpus.pk))
    assert (response.context["form"]["documents"].value(), response.context["suitable_count"]) == (100, 250)
    assert "make about 200 completed questionnaires, of the 250 that suit" in page_text(response)


def test_a_design_is_kept_whole_and_shown_again(admin_client):
    corpus = make_corpus(documents=3, readers=3)
    words = {
        "low_label": "A",
        "label_2": "B",
        "label_3": "C",
        "label_4": "D",
        "label_5": "E",
        "high_label": "F",
    }
    data = form_data(corpus, readers=3, parts_together="on", limit=4, **words)
    del data["document_shown"]
    admin_client.post(url("new", corpus=corpus.pk), data)
    draft = Batch.objects.get()
    design = ("readers", "reader_pairs", "parts_together", "document_shown", *words)
    expected = {"readers": 3, "reader_pairs": 3, "parts_together": True, "document_shown": False, **words}
    assert {name: getattr(draft, name) for name in design} == expected
    assert read_participation(draft).limit == 4
    shown = initial_values(draft)
    assert {name: shown[name] for name in (*design, "limit")} == expected | {"limit": 4}
    text = page_text(admin_client.get(url("monitor", draft.pk)))
    for said in (
        "all 3 pairs among 3 readers of a document",
        "a document is finished before the next is begun",
        "Not shown to raters",
        "1 = A, 2 = B, 3 = C, 4 = D, 5 = E, 6 = F",
    ):
        assert said in text
    admin_client.post(url("edit", draft.pk), form_data(corpus))
    draft.refresh_from_db()
    assert (draft.readers, draft.document_shown, draft.label_2) == (None, True, "")
    assert read_participation(draft).limit is None


def test_what_is_set_stands_open_and_what_is_as_it_comes_is_folded(admin_client):
    draft = make_batch(launched=False, document_shown=False)
    assert admin_client.get(url("edit", draft.pk)).context["open_groups"] == set()
    changed = {"unrelated_share": 10, "seed": 3, "label_3": "Hm", "opens_at": "2026-05-02T10:00"}
    crlf = draft.instructions.replace("\n", "\r\n")
    data = form_data(draft.corpus, instructions=crlf, **changed)
    context = admin_client.post(url("edit", draft.pk), data).context
    assert context["open_groups"] == {"controls", "rest", "points", "window"}


def test_a_draft_is_shown_as_it_was_entered_and_default_wording_follows_the_direction(admin_client):
    draft = make_batch(launched=False, scale=Scale.SIMILARITY, high_label="The same", seed=9)
    values = initial_values(draft)
    assert (values["low_label"], values["high_label"], values["seed"]) == ("", "The same", 9)
    data = form_data(draft.corpus, scale=Scale.DISSIMILARITY, high_label="Unlike")
    admin_client.post(url("edit", draft.pk), data)
    draft.refresh_from_db()
    assert (draft.low_label, draft.high_label, draft.scale) == ("Very similar", "Unlike", "dissimilarity")


def test_a_launched_batch_cannot_be_edited(admin_client, batch):
    response = admin_client.get(url("edit", batch.pk))
    assert (response.status_code, response.url) == (302, url("monitor", batch.pk))
