"""Controls find careless raters, leave careful ones alone, and enter nothing that is scored."""

import csv
import io
import json

import pytest
from django.urls import reverse

from meta_eval.cli import main
from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import write_jsonl
from meta_eval.ratings.table import read_ratings
from survey_site.batches.models import Item
from survey_site.corpus.queries import load_corpus
from survey_site.quality.assessment import assess_batch
from survey_site.quality.checks import check_raters, count_all_controls
from survey_site.quality.controls import count_control_ratings
from survey_site.quality.queries import excluded_rows, submitted_rows
from survey_site.quality.services import exclude_rater
from survey_site.reports.queries import survey_facts
from survey_site.scoring.adapters import ratings_of, ratings_of_batch
from survey_site.scoring.rating_sets import record_ratings
from survey_site.survey.exports import MORE, rating_lines
from survey_site.survey.models import AssignmentItem, Rating
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating.services import submit_questionnaire
from survey_site.survey.rating_rows import rating_rows, withdrawn_rows
from survey_site.survey.simulation import simulate_raters
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater

pytestmark = pytest.mark.django_db
PAGES = 5


@pytest.fixture
def batch():
    return make_checked_batch()


def make_checked_batch(**settings):
    """Five questionnaires of gold, two systems and both controls for four raters."""
    wanted = {"identical_share": 100, "unrelated_share": 100, "raters": 4}
    return make_batch(corpus=make_corpus(documents=PAGES), **(wanted | settings))


def rate(batch, *, identical=6, unrelated=1, pages=PAGES):
    """A rater who gives these to controls and 3, 4, 5 to what is scored."""
    rater = make_rater(batch)
    for _ in range(pages):
        claim = make_assignment(batch, rater=rater)
        scored = iter((3, 4, 5))
        known = {"identical": identical, "unrelated": unrelated}
        answers = {
            one.code: known[one.item.control] if one.item.control else next(scored)
            for one in claim.placements.select_related("item").order_by("item")
        }
        submit_questionnaire(assignment=claim, answers=answers, now=NOW.replace(hour=10))
    return rater


def flags_of(batch):
    return {one.rater.code: one.flags for one in check_raters(batch)}


@pytest.mark.parametrize(
    ("scale", "good", "bad", "words"),
    [
        (
            "similarity",
            {"identical": 5, "unrelated": 3},
            {"identical": 4, "unrelated": 4},
            ["5 of 5 identical pairs rated below 5", "5 of 5 unrelated pairs rated above 3"],
        ),
        (
            "dissimilarity",
            {"identical": 2, "unrelated": 4},
            {"identical": 3, "unrelated": 3},
            ["5 of 5 identical pairs rated above 2", "5 of 5 unrelated pairs rated below 4"],
        ),
    ],
)
def test_a_flag_says_what_happened_in_the_numbers_that_raters_saw(scale, good, bad, words):
    batch = make_checked_batch(scale=scale)
    careful, careless = rate(batch, **good), rate(batch, **bad)
    assert flags_of(batch) == {careful.code: [], careless.code: words}


def test_a_third_of_one_kind_flags_and_less_does_not():
    few = [("identical", 2), ("identical", 6), ("identical", 6), ("unrelated", 1)]
    many = count_control_ratings(few, scale="similarity")
    fewer = count_control_ratings([*few, ("identical", 5)], scale="similarity")
    assert [(one.words, one.flagged) for one in many] == [
        ("1 of 3 identical pairs rated below 5", True),
        ("0 of 1 unrelated pair rated above 3", False),
    ]
    assert [one.flagged for one in fewer] == [False, False]


def test_controls_enter_nothing_that_is_scored(batch):
    """The same answers to the scored pairs give the same of everything, whatever the controls got."""
    for _ in range(4):
        rate(batch)
    scored = 4 * PAGES * 3
    before = (assess_batch(batch), record_ratings(batch=batch, now=NOW).content_hash)
    controls = Rating.objects.exclude(assignment_item__item__control="")
    assert controls.update(value=4) == 4 * PAGES * 2
    after = assess_batch(batch)
    assert (after.ratings, after.agreement.units) == (scored, PAGES * 3)
    assert record_ratings(batch=batch, now=NOW).content_hash == before[1]
    assert (after.agreement.table == before[0].agreement.table).all()
    assert after.positions == before[0].positions
    assert {row["control"] for row in rating_rows(batch)} == {""}
    assert len(ratings_of_batch(batch)) == scored
    facts = survey_facts(batch, ratings_of(record_ratings(batch=batch, now=NOW)))
    assert (facts["plan"]["pairs"], facts["counts"]["pairs_unrated"]) == (PAGES * 3, 0)
    assert (facts["ratings"]["ratings"], facts["ratings"]["raters"]) == (scored, 4)


def test_gold_is_compared_with_systems_alone(batch):
    """Gold always lowest of three: its rank is 0, and would not be if unrelated pairs were among them."""
    rate(batch, unrelated=1)
    assert [one.gold.rank for one in check_raters(batch)] == [0]


def test_the_raw_export_has_controls_in_their_own_column_and_the_library_leaves_them_out(batch):
    rater = rate(batch, identical=6, unrelated=2)
    rows = list(csv.DictReader(rating_lines(batch)))
    found = {(row["control"], row["rating"]) for row in rows if row["control"]}
    assert found == {("identical", "6"), ("unrelated", "2")}
    controls = [row for row in rows if row["control"]]
    assert len(controls) == 2 * PAGES
    assert {(row["system"], row["reader_a"], row["reader_b"]) for row in controls} == {("", "", "")}
    corpus = load_corpus(batch.corpus)
    assert isinstance(corpus, Corpus)
    read = read_ratings(io.BytesIO("".join(rating_lines(batch)).encode()), corpus, name="ratings.csv").ratings
    assert sorted(read, key=repr) == sorted(ratings_of_batch(batch), key=repr)
    exclude_rater(rater=rater, reason="careless", now=NOW)
    assert list(rating_lines(batch)) == list(rating_lines(batch))[:1]
    assert sum(bool(row["control"]) for row in excluded_rows(batch)) == 2 * PAGES
    assert sum(bool(row["control"]) for row in submitted_rows(batch)) == 2 * PAGES
    withdraw_rater(rater=rater, now=NOW)
    withdrawn = list(withdrawn_rows(batch))
    assert sum(bool(row["control"]) for row in withdrawn) == 2 * PAGES
    assert {row["rating"] for row in withdrawn} == {None}


def test_the_quality_page_shows_how_controls_were_rated_without_what_is_excluded(batch, admin_client):
    rate(batch, identical=6, unrelated=2)
    careless = rate(batch, identical=3, unrelated=6)
    page = admin_client.get(reverse("quality:detail", args=[batch.pk])).content.decode()
    assert "Control pairs" in page
    assert "5 of 5 identical pairs rated below 5" in page
    row = page.split('<th scope="row">Identical</th>')[1].split("</tr>")[0]
    assert "5 (50 %)" in row
    own = admin_client.get(reverse("quality:rater", args=[batch.pk, careless.code])).content.decode()
    assert "identical 3, unrelated 6" in own
    exclude_rater(rater=careless, reason="failed every control", now=NOW)
    counts = count_all_controls(check_raters(batch), scale=batch.scale)
    assert [(one.kind, one.counts, one.failed) for one in counts] == [
        ("identical", (0, 0, 0, 0, 0, 5), 0),
        ("unrelated", (0, 5, 0, 0, 0, 0), 0),
    ]


def test_a_batch_without_controls_says_nothing_of_them(admin_client):
    batch = make_checked_batch(identical_share=0, unrelated_share=0)
    claim = make_assignment(batch)
    answers = dict.fromkeys(claim.placements.values_list("code", flat=True), 3)
    submit_questionnaire(assignment=claim, answers=answers, now=NOW)
    page = admin_client.get(reverse("quality:detail", args=[batch.pk])).content.decode()
    assert "Control pairs" not in page
    assert check_raters(batch)[0].controls == ()


def judge(text_a, text_b):
    """Equal texts are alike, texts on one document half so, others hardly."""
    return 1.0 if text_a == text_b else 0.5 if text_a.split()[1] == text_b.split()[1] else 0.05


def simulate(seed):
    """Twenty raters, five of them careless, five questionnaires each: how many of both are flagged."""
    shares = {"identical_share": 100, "unrelated_share": 100}
    batch = make_batch(corpus=make_corpus(documents=10), raters=10, **shares)
    simulate_raters(batch=batch, raters=20, careless=5, completion=1, seed=seed, now=NOW, judge=judge)
    checked = sorted(check_raters(batch), key=lambda one: one.rater.pk)
    assert [len(one.pages) for one in checked] == [5] * 20
    flagged = [any("pairs rated" in flag for flag in one.flags) for one in checked]
    return sum(flagged[:5]), sum(flagged[5:])


def test_careless_raters_are_found_and_careful_ones_are_not_flagged():
    """With five controls of each kind; over many raters 99 % of the one and 1 % of the other are flagged."""
    found = [simulate(seed) for seed in (1, 2)]
    assert sum(careless for careless, _ in found) >= 9  # of 10
    assert sum(careful for _, careful in found) <= 1  # of 30


def test_simulated_raters_answer_controls_as_their_texts_ask():
    batch = make_checked_batch(raters=2)
    simulate_raters(batch=batch, raters=4, completion=1, seed=1, now=NOW, judge=lambda a, b: float(a == b))
    values = AssignmentItem.objects.values_list("item__control", "rating__value")
    assert {value >= 4 for control, value in values if control == "identical"} == {True}
    assert {value <= 3 for control, value in values if control == "unrelated"} == {True}
    assert Item.objects.exclude(control="").count() == 10


def test_the_command_reports_on_the_raw_export_of_a_batch_with_controls(batch, tmp_path, capsys):
    exclude_rater(rater=rate(batch), reason="careless", now=NOW)
    for _ in range(3):
        rate(batch)
    rows = list(csv.DictReader(rating_lines(batch, include=MORE)))
    assert {(row["state"], bool(row["control"])) for row in rows} >= {
        ("submitted", True),
        ("excluded", False),
    }
    (tmp_path / "ratings.csv").write_text("".join(rating_lines(batch, include=MORE)), encoding="utf-8")
    with (tmp_path / "corpus.jsonl").open("w", encoding="utf-8") as stream:
        write_jsonl(load_corpus(batch.corpus), stream)
    files = (str(tmp_path / "corpus.jsonl"), str(tmp_path / "ratings.csv"))
    measures = ("--measure", "rouge-l", "--surrogate", "jsd", "--scale", "similarity")
    with pytest.raises(SystemExit) as left:
        main(["report", *files, *measures, "--normalise", "none", "--resamples", "1000", "--json"])
    out, err = capsys.readouterr()
    assert (left.value.code, json.loads(out)["ratings"]["hash"]) == (
        0,
        record_ratings(batch=batch, now=NOW).content_hash,
    ), err
