"""Questionnaires out of bare ratings: one document, one reader pair and a set of systems (protocol 6)."""

from meta_eval.corpus.documents import GOLD
from meta_eval.ratings.questionnaires import group_ratings
from meta_eval.ratings.rating import Rating


def ratings_of(rater, systems, *, document="d", readers=("a", "b")):
    return [Rating(document, system, *readers, rater, 3) for system in systems]


def shown(ratings, numbers=None):
    """Number, document, systems and raters of each questionnaire."""
    return [
        (one.number, one.document, one.systems, [page.rater for page in one.pages])
        for one in group_ratings(ratings, numbers)
    ]


def test_raters_of_the_same_items_share_a_questionnaire():
    ratings = [*ratings_of("ann", [GOLD, "A", "B"]), *ratings_of("bob", ["B", GOLD, "A"])]
    assert shown(ratings) == [("1", "d", (GOLD, "A", "B"), ["ann", "bob"])]


def test_two_halves_of_a_reader_pair_are_two_questionnaires():
    halves = ([GOLD, "A", "B"], [GOLD, "C", "D"])
    ratings = [
        *(one for half, rater in zip(halves, ("ann", "bob"), strict=True) for one in ratings_of(rater, half)),
        *(one for half, rater in zip(halves, ("cy", "dee"), strict=True) for one in ratings_of(rater, half)),
    ]
    assert shown(ratings) == [
        ("1", "d", (GOLD, "A", "B"), ["ann", "cy"]),
        ("2", "d", (GOLD, "C", "D"), ["bob", "dee"]),
    ]


def test_the_order_of_the_two_readers_does_not_matter():
    ratings = [*ratings_of("ann", ["A"], readers=("b", "a")), *ratings_of("bob", ["A"])]
    (one,) = group_ratings(ratings)
    assert (one.reader_a, one.reader_b, len(one.pages)) == ("b", "a", 2)


def test_each_document_and_reader_pair_has_its_own():
    ratings = [
        *ratings_of("ann", ["A"]),
        *ratings_of("ann", ["A"], readers=("a", "c")),
        *ratings_of("ann", ["A"], document="e"),
    ]
    assert [one[:2] for one in shown(ratings)] == [("1", "d"), ("2", "d"), ("3", "e")]


def test_a_second_rating_of_gold_stood_in_another_questionnaire():
    ratings = ratings_of("ann", [GOLD, "A", GOLD])
    assert shown(ratings) == [("1", "d", (GOLD, "A"), ["ann"]), ("2", "d", (GOLD,), ["ann"])]
    assert [page.indices for one in group_ratings(ratings) for page in one.pages] == [(0, 1), (2,)]


def test_given_numbers_are_kept_where_each_means_one_questionnaire():
    ratings = [*ratings_of("ann", [GOLD, "A"]), *ratings_of("bob", [GOLD])]
    assert shown(ratings, ["7", "7", "7"]) == [("7", "d", (GOLD, "A"), ["ann", "bob"])]
    other = [*ratings_of("ann", [GOLD, "A"]), *ratings_of("ann", [GOLD], document="e")]
    assert [one[0] for one in shown(other, ["7", "7", "7"])] == ["1", "2"]
