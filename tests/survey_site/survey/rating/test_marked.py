"""What staff and exports say of pairs that raters could not judge."""

import csv

import pytest
from django.urls import reverse

from survey_site.batches.models import Item
from survey_site.batches.queries import batch_progress, rater_totals
from survey_site.batches.services import close_batch
from survey_site.common.errors import ConflictError
from survey_site.quality.checks import check_raters
from survey_site.quality.freezing import freeze_batch, is_intact
from survey_site.quality.models import Exclusion
from survey_site.quality.services import exclude_rater, undo_exclusion
from survey_site.survey.exports import rating_lines
from survey_site.survey.rating.marked import describe_marks, mark_lines, pairs_not_judged, summarise_marks
from survey_site.survey.rating.validators import CannotJudge
from survey_site.survey.rating_rows import rating_rows
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all, submit_marked

pytestmark = pytest.mark.django_db
UNCLEAR, TABLES = CannotJudge("unclear"), CannotJudge("other", "tables, not texts")


@pytest.fixture
def batch():
    return make_batch(corpus=make_corpus(documents=1), raters=2)


@pytest.fixture
def given_up(batch):
    """Two raters could not judge the gold pair, a third one not the last pair either."""
    for marks in ({0: UNCLEAR}, {0: TABLES, 2: UNCLEAR}, {0: UNCLEAR}):
        submit_marked(make_assignment(batch), marks)
    return batch


def rows(lines):
    return list(csv.DictReader(lines))


def test_all_marks_are_in_their_file_with_what_was_given_up(given_up):
    found = [
        (row["system"], row["reason"], row["words"], row["state"], row["given_up"])
        for row in rows(mark_lines(given_up))
    ]
    last = Item.objects.order_by("pk").last().label
    assert sorted(found) == sorted(
        [
            ("user", "unclear", "", "submitted", "true"),
            ("user", "other", "tables, not texts", "marked", "true"),
            (last, "unclear", "", "marked", "false"),
            ("user", "unclear", "", "submitted", "true"),
        ]
    )


def test_ratings_of_a_page_with_marks_come_only_on_request(given_up):
    counted, more = (rows(rating_lines(given_up, include=include)) for include in ((), ("marked",)))
    assert (len(counted), len(more)) == (4, 5)
    assert {row["state"] for row in counted} == {"submitted"}
    assert [row["state"] for row in more if row not in counted] == ["marked"]


def test_counts_of_the_monitor(given_up):
    progress = batch_progress(given_up, now=NOW)
    assert (progress.completions, progress.marked, progress.ratings) == (2, 1, 4)
    assert sorted(rater.marks for rater in rater_totals(given_up)) == [1, 1, 2]


def test_the_summary_names_reasons_and_pairs_and_leaves_out_who_is_excluded(given_up):
    found = summarise_marks(given_up)
    assert (found.marks, found.raters, found.pages) == (4, 3, 1)
    assert [item.label for item in found.given_up] == ["Gold reference"]
    assert dict(found.by_reason)["I do not understand it"] == 3
    marked = given_up.people.get(assignments__state="marked")
    exclude_rater(rater=marked, reason="bot", now=NOW)
    assert summarise_marks(given_up).marks == 2


def test_a_pair_given_up_that_has_all_its_ratings_lacks_nothing(batch):
    first, second = make_assignment(batch), make_assignment(batch)
    submit_marked(first, {0: UNCLEAR})
    third = make_assignment(batch)
    submit_marked(second, {0: UNCLEAR})
    assert pairs_not_judged(batch).count() == 1
    submit_all(third)
    assert pairs_not_judged(batch).count() == 1
    assert describe_marks(make_batch(marks_allowed=False)) == []


def test_checks_of_raters_and_staff_pages_bear_pages_with_marks(given_up, client, researcher):
    assert sorted(page.values for one in check_raters(given_up) for page in one.pages) == [(4, 4), (4, 4)]
    client.force_login(researcher)
    quality = client.get(reverse("quality:detail", args=[given_up.pk])).content.decode()
    assert "1 pair given up" in quality
    assert "of these pages does not count" in quality
    monitor = client.get(reverse("batches:monitor", args=[given_up.pk])).content.decode()
    assert "1 submitted with a pair that the rater could not judge" in monitor
    answer = client.get(reverse("batches:marks-csv", args=[given_up.pk]))
    assert len(rows(line for part in answer.streaming_content for line in part.decode().splitlines())) == 4


@pytest.fixture
def crowd():
    """One who could not judge a single pair of two pages, and one who could not judge one of these either."""
    batch = make_batch(corpus=make_corpus(documents=2, systems=4), systems_per_questionnaire=4, raters=2)
    marker = make_rater(batch)
    for _ in range(2):
        submit_marked(make_assignment(batch, rater=marker), dict.fromkeys(range(5), UNCLEAR))
    first = make_rater(batch)
    submit_marked(make_assignment(batch, rater=first), {0: UNCLEAR})
    submit_all(make_assignment(batch, rater=first))
    return batch, marker, first


def states_of(rater):
    return list(rater.assignments.order_by("pk").values_list("state", flat=True))


def checks_of(batch):
    return {one.rater: (len(one.pages), one.marks_much, one.is_excluded) for one in check_raters(batch)}


def test_who_can_judge_nothing_is_flagged_and_can_be_excluded(crowd, admin_client):
    batch, marker, first = crowd
    assert checks_of(batch) == {first: (2, False, False), marker: (0, True, False)}
    address = reverse("quality:rater", args=[batch.pk, marker.code])
    assert "10 of 10 pairs not judged" in admin_client.get(address).content.decode()
    before = describe_marks(batch)
    admin_client.post(address, {"what": "rater", "reason": "marks everything"})
    assert checks_of(batch)[marker] == (0, True, True)
    assert [one.rater for one in check_raters(batch) if one.awaits_decision] == [first]  # who is too fast
    assert (summarise_marks(batch).marks, summarise_marks(batch).given_up) == (1, ())
    assert "Nothing of this rater counts" in admin_client.get(address).content.decode()
    admin_client.post(reverse("quality:undo", args=[batch.pk, Exclusion.objects.get().pk]))
    assert (describe_marks(batch), states_of(first)) == (before, ["submitted", "submitted"])


def test_one_page_with_marks_is_excluded_and_counted_again(crowd, admin_client):
    batch, marker, _ = crowd
    page = marker.assignments.latest("pk")
    address = reverse("quality:rater", args=[batch.pk, marker.code])
    admin_client.post(address, {"what": str(page.pk), "reason": "phone rang"})
    assert (Exclusion.objects.get().assignment, summarise_marks(batch).marks) == (page, 6)
    undo_exclusion(exclusion=Exclusion.objects.get(), now=NOW)
    assert (summarise_marks(batch).marks, states_of(marker)) == (11, ["marked", "marked"])


def test_excluding_who_marks_everything_takes_nothing_from_others_once_the_batch_is_closed(crowd):
    batch, marker, first = crowd
    close_batch(batch=batch, now=NOW)
    ratings = list(rating_rows(batch))
    exclusion = exclude_rater(rater=marker, reason="bot", now=NOW)
    assert (list(rating_rows(batch)), states_of(first)) == (ratings, ["submitted", "submitted"])
    undo_exclusion(exclusion=exclusion, now=NOW)
    assert (list(rating_rows(batch)), summarise_marks(batch).marks) == (ratings, 11)
    snapshot = freeze_batch(batch=batch, clock=lambda: NOW)
    with pytest.raises(ConflictError):
        exclude_rater(rater=marker, reason="bot", now=NOW)
    assert (describe_marks(batch), is_intact(snapshot)) == (snapshot.head["marks"], True)
