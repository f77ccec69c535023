"""Staff pages: who may open what, what the form says, what the download holds."""

import csv
import re

import pytest
from django.urls import reverse

from survey_site.batches.effort import suitable_documents
from survey_site.batches.models import Batch, Questionnaire
from survey_site.batches.planning import plan_settings
from survey_site.batches.services import close_batch
from survey_site.batches.states import Scale
from survey_site.corpus.models import Document, Reference, Summary
from survey_site.corpus.services import measure_texts
from survey_site.desk.batches.planning_forms import BatchForm, initial_values
from survey_site.survey.models import Rater
from survey_site.survey.people.participation import read_participation
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all

pytestmark = pytest.mark.django_db
READ = ["monitor", "preview", "ratings", "progress"]
CHANGE = ["edit", "delete", "launch", "close"]


@pytest.fixture
def batch():
    return make_batch()


def url(name, *args, **query):
    return reverse(f"batches:{name}", args=args, query=query or None)


def form_data(corpus, **changes):
    """What the browser sends of an untouched form, with a name."""
    form = BatchForm(corpus=corpus)
    data = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    data["systems"] = [system.pk for system in corpus.systems.all()]
    return {k: v for k, v in (data | {"name": "Pilot", "action": "save"} | changes).items() if v is not None}


def page_text(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


@pytest.mark.parametrize("name", READ + CHANGE)
def test_nobody_sees_a_batch_without_logging_in(client, batch, name):
    response = client.get(url(name, batch.pk))
    assert (response.status_code, response.url.split("?")[0]) == (302, reverse("accounts:login"))


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


@pytest.mark.parametrize("name", READ)
def test_researchers_read(researcher_client, batch, name):
    assert researcher_client.get(url(name, batch.pk)).status_code == 200


@pytest.mark.parametrize("name", CHANGE)
@pytest.mark.parametrize("method", ["get", "post"])
def test_researchers_do_not_change(researcher_client, name, method):
    draft = make_batch(launched=False)
    assert getattr(researcher_client, method)(url(name, draft.pk)).status_code == 403
    draft.refresh_from_db()
    assert draft.status == "draft"


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


def test_the_effort_is_shown_before_anything_is_stored(admin_client):
    corpus = make_corpus(documents=3, systems=4)
    data = form_data(corpus, systems_per_questionnaire=2, raters=3, name="")
    page = page_text(admin_client.post(url("new", corpus=corpus.pk), data | {"action": "estimate"}))
    assert "Questionnaires 6 Text pairs 18 Raters each 3 Ratings 54" in page
    assert Batch.objects.count() == 0


def test_the_effort_fragment_counts_what_is_entered(admin_client):
    corpus = make_corpus(documents=3, systems=4)
    data = form_data(corpus, documents=2, systems_per_questionnaire=2)
    address = url("effort", corpus=corpus.pk)
    page = page_text(admin_client.post(address, data))
    assert "Questionnaires 4 Text pairs 12 Raters each 2 Ratings 24" in page
    page = page_text(admin_client.post(address, data | {"raters": "many"}))
    assert ("Fill in the numbers" in page, "Effort not known yet" in page) == (True, True)
    assert (admin_client.post(url("effort")).status_code, admin_client.get(address).status_code) == (404, 405)


def test_the_effort_knows_the_price_and_how_many_people_a_limit_needs(admin_client):
    corpus = make_corpus(documents=5, systems=4)
    Document.objects.update(body="x" * 6 * 200 * 60)  # an hour of reading
    measure_texts(corpus)
    data = form_data(corpus, raters=3, rate=20, limit=2)
    address = url("effort", corpus=corpus.pk)
    page = page_text(admin_client.post(address, data))
    assert "15 completed questionnaires · about 15 hours · price about 305" in page
    assert "At least 8 different people must take part, up to 2 questionnaires each." in page
    del data["document_shown"]
    assert "15 completed questionnaires · about 15 minutes · price about 5" in page_text(
        admin_client.post(address, data)
    )


@pytest.mark.parametrize(
    ("entered", "said", "questionnaires"),
    [
        (
            {"documents": 9},
            "Documents with 1 reader pair for whom all chosen systems wrote: 2. The numbers below",
            2,
        ),
        (
            {"document_keys": "doc1 doc2 doc9"},
            "Of these, documents with 1 reader pair for whom all chosen systems wrote: 1.",
            1,
        ),
        (
            {"documents": 3, "reader_pairs": 3},
            "Documents with 3 reader pairs for whom all chosen systems wrote: 1.",
            3,
        ),
        ({"reader_pairs": 4}, "Documents with 4 reader pairs for whom all chosen systems wrote: none.", None),
        ({"documents": 2}, None, 2),
        ({"documents": 3, "readers": 3}, "Documents with 3 readers for whom all chosen systems wrote: 1.", 3),
        ({"documents": 9, "picked": ["doc1"]}, None, 1),
    ],
)
def test_the_effort_counts_no_documents_that_are_not_there(admin_client, entered, said, questionnaires):
    """Of three documents one lacks two summaries, one a single one: three pairs, one pair, none."""
    corpus = make_corpus(documents=3, readers=3)
    Summary.objects.filter(document__key="doc2", reader__key__in=["reader1", "reader2"]).delete()
    Summary.objects.filter(document__key="doc3", reader__key="reader1", system__name="System1").delete()
    page = page_text(admin_client.post(url("effort", corpus=corpus.pk), form_data(corpus, **entered)))
    assert ("Fewer documents than you ask for" in page) == (said is not None)
    assert (said or "") in page
    assert re.findall(r"Questionnaires (\d+)", page) == ([str(questionnaires)] if questionnaires else [])


def test_the_effort_counts_the_documents_that_the_plan_has():
    corpus = make_corpus(documents=4, readers=4, systems=3)
    Summary.objects.filter(document__key="doc2", reader__key="reader1", system__name="System2").delete()
    Summary.objects.filter(document__key="doc3", system__name="System3").delete()
    Reference.objects.filter(document__key="doc4", reader__key__in=["reader1", "reader2"]).delete()
    for names in (["System1"], ["System2"], ["System1", "System3"]):
        systems = list(corpus.systems.filter(name__in=names))
        for pairs in (1, 3, 6):
            plan = plan_settings(Batch(corpus=corpus, reader_pairs=pairs), systems, None)
            drawn = {one.document for one in plan.questionnaires}
            assert suitable_documents(corpus, systems, pairs) == drawn


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


@pytest.mark.parametrize("launched", [True, False])
def test_a_preview_is_the_rater_s_page_and_stores_nothing(researcher_client, launched):
    batch = make_batch(launched=launched)
    before = Questionnaire.objects.count()
    page = researcher_client.get(url("preview", batch.pk, number=2)).content.decode()
    assert "Preview for you" in page
    assert "Questionnaire 2 of 2" in page
    assert "Very low similarity" in page
    assert page.count("Text 1") == 3
    assert ("csrfmiddlewaretoken" in page, "rating.js" in page) == (False, False)
    assert (Questionnaire.objects.count(), Rater.objects.count()) == (before, 0)


@pytest.mark.parametrize(("number", "shown"), [("0", 1), ("99", 2), ("x", 1), ("-3", 1)])
def test_a_preview_number_off_the_list_shows_the_nearest(researcher_client, batch, number, shown):
    page = researcher_client.get(url("preview", batch.pk, number=number)).content.decode()
    assert f"Questionnaire {shown} of 2" in page


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


@pytest.mark.parametrize("batches", [1, 3])
def test_the_list_takes_the_same_queries_for_any_number(
    researcher_client, batches, django_assert_num_queries
):
    corpus = make_corpus()
    for _ in range(batches):
        submit_all(make_assignment(make_batch(corpus=corpus)))
    with django_assert_num_queries(5):
        page = researcher_client.get(url("list"))
    assert page_text(page).count("1 of 4") == batches


@pytest.mark.parametrize("raters", [1, 5])
def test_the_monitor_takes_the_same_queries_for_any_number_of_raters(
    researcher_client, raters, django_assert_num_queries
):
    batch = make_batch(corpus=make_corpus(documents=3))
    for _ in range(raters):
        submit_all(make_assignment(batch))
    with django_assert_num_queries(15):
        researcher_client.get(url("monitor", batch.pk))


def test_the_monitor_leads_to_the_page_of_who_has_completed_something(researcher_client, batch):
    done, held = submit_all(make_assignment(batch)).rater, make_assignment(batch).rater
    pages = [reverse("quality:rater", args=[batch.pk, one.code]) for one in (done, held)]
    text = researcher_client.get(url("monitor", batch.pk)).content.decode()
    assert [f'href="{page}"' in text for page in pages] == [True, False]
    assert [researcher_client.get(page).status_code for page in pages] == [200, 404]


def test_an_empty_list_says_what_to_do(admin_client, researcher_client):
    assert "Plan a batch" in page_text(admin_client.get(url("list")))
    assert "Ask one to plan the first" in page_text(researcher_client.get(url("list")))
