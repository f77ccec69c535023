"""Scores in a person's place: what a judge is shown, what the baselines say, and what the numbers mean."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.llm.prompts import load_prompt
from meta_eval.studies.perse.agreement import PersonDraws, ScoredCase, gain_over, score_agreement
from meta_eval.studies.perse.baselines import factorise
from meta_eval.studies.perse.cases import review_cases, tuning_cases, with_profiles
from meta_eval.studies.perse.judged import verdict_on
from meta_eval.studies.perse.questions import review_questions
from meta_eval.studies.perse.reading import read_reviews
from meta_eval.studies.perse.reviews import baseline_reviews, judge_reviews, summarise_reviews
from tests.meta_eval.studies.perse.judging import OPTIONS, answers_by, people, write_lines

DIGESTS = {
    "judge-reviews": (1, "e7d55159febfce21ac8468c64b4f291be0746b74d872f432d398f30196bc8fbc"),
    "judge-comparisons": (1, "ea5a4578003d9d2790b8ff547586bff462191478810911486c725ce4cee5fda9"),
    "judge-title": (1, "856b169ae475917368d87cf4759fbb11530c6291e48c4c0074bb043a944dad69"),
    "judge-summaries": (1, "3c264c71d71e0d77f67806c650f9abac4e832ea0fe82729767932b76b5d07c50"),
}


def test_a_changed_word_of_a_prompt_is_noticed():
    """Give a template a new version with its new digest: results under the old one are others."""
    assert {name: (load_prompt(name).version, load_prompt(name).digest) for name in DIGESTS} == DIGESTS


def judged_by(rule, cases, profiles="own"):
    prompt = load_prompt("judge-reviews")
    questions = review_questions(cases, prompt)
    return judge_reviews(
        cases, questions, answers_by(rule, questions),
        options=OPTIONS, profiles=profiles, prompt=prompt, attempts=2,
    )  # fmt: skip


def mean_of_profile(prompt):
    given = [float(score) for score in re.findall(r"^Score \d+: ([\d.]+)$", prompt, flags=re.MULTILINE)]
    return round(sum(given) / len(given))


def number_of_text(prompt):
    return int(re.findall(r"^Text \d+ (\d+)\.$", prompt, flags=re.MULTILINE)[-1]) + 1


def summaries_of(*judged, resamples=0):
    draws = PersonDraws([case.person for case in judged[0].cases], resamples=resamples, seed=1)
    return summarise_reviews(judged, cases=judged[0].cases, draws=draws, facts={})


PARTS = ("scored", "pooled", "by_person", "beyond_usual")


def test_a_judge_that_says_the_profiles_mean_is_the_reviewer_average():
    cases = review_cases(people(), size=2)
    averages = baseline_reviews(cases, "reviewer-average", [])
    means, rows = summaries_of(judged_by(mean_of_profile, cases), averages, resamples=20)
    assert {name: means[name] for name in PARTS} == {name: rows[name] for name in PARTS}
    assert rows["pooled"]["pearson"]["estimate"] is not None


def test_a_judge_that_says_the_truth_has_every_coefficient_at_one():
    cases = review_cases(people(), size=2)
    truths = {case.query.text: case.query.score for case in cases}
    judged = judged_by(
        lambda prompt: next(truths[text] for text in truths if text in prompt.split("new text:")[1]), cases
    )
    (record,) = summaries_of(judged)
    assert [round(one["estimate"], 9) for one in record["pooled"].values()] == [1.0, 1.0, 1.0]
    assert [round(one["estimate"], 9) for one in record["by_person"].values()] == [1.0, 1.0, 1.0]


def test_no_request_holds_what_is_to_be_foretold_or_who_the_person_is():
    cases = review_cases(people(), size=2)
    for (_, question), case in zip(review_questions(cases, load_prompt("judge-reviews")), cases, strict=True):
        shown = question.request.messages[-1].content
        assert case.query.text in shown
        assert case.query.review not in shown
        assert (case.person in shown, case.subject in shown) == (False, False)
        assert all(one.review in shown for one in case.profile)


def test_shuffled_profiles_are_of_one_other_person_and_never_about_the_query():
    cases = review_cases(people(persons=5, items=8), size=2)
    shuffled = with_profiles(cases, "shuffled", seed=3)
    for case, other in zip(cases, shuffled, strict=True):
        assert other.query == case.query
        assert {one.reviewer for one in other.profile} != {case.person}
        assert case.subject not in other.items
    with pytest.raises(InputError, match="there is no other person"):
        with_profiles(review_cases(people(persons=1), size=2), "shuffled")


def test_a_judge_of_profiles_is_personal_and_one_of_texts_alone_is_not():
    """The person's usual score alone foretells: its control with other people's profiles loses that."""
    reviews = [one.__class__(one.reviewer, one.item, one.text, one.review, 1 + 2 * int(one.reviewer[1:]) % 9)
               for one in people(persons=9)]  # fmt: skip
    cases = review_cases(reviews, size=2)
    under = {name: with_profiles(cases, name, seed=1) for name in ("own", "shuffled")}
    found = summaries_of(*(judged_by(mean_of_profile, under[name], name) for name in under), resamples=50)
    assert found[0]["personal"] is True
    assert "personal" not in found[1]
    deaf = summaries_of(*(judged_by(number_of_text, under[name], name) for name in under), resamples=50)
    assert deaf[0]["personal"] is False
    assert "cannot be called personal" in deaf[0]["verdict"]


def test_an_interval_over_few_persons_has_a_note_and_one_over_many_has_none():
    gain = {"ci_low": 0.1}
    assert verdict_on(gain, 19)["note"] == "19 persons; intervals of fewer than 20 are rough"
    assert (verdict_on(gain, 20)["note"], verdict_on({"ci_low": None}, 3)["note"]) == (None, None)


def test_beyond_usual_takes_the_mean_of_the_persons_own_profile_whoevers_is_shown():
    cases = review_cases(people(persons=5), size=2)
    shuffled = judged_by(number_of_text, with_profiles(cases, "shuffled", seed=1), "shuffled")
    own = judged_by(number_of_text, cases)
    draws = PersonDraws([case.person for case in cases], resamples=0, seed=1)
    (alone,) = summarise_reviews([shuffled], cases=cases, draws=draws, facts={})
    beside, _ = summarise_reviews([own, shuffled], cases=cases, draws=draws, facts={})
    assert alone["beyond_usual"] == beside["beyond_usual"]


def test_other_profiles_are_another_judge():
    lines = {
        judged_by(number_of_text, review_cases(people(), size=2, seed=seed)).asked.as_record()[
            "signature_line"
        ]
        for seed in (0, 0, 1)
    }
    assert len(lines) == 2


def test_tuning_and_test_share_neither_persons_nor_queries():
    window = {f"p{u}": {f"i{(2 * u + n) % 12}" for n in range(4)} for u in range(6)}
    every = people(persons=6, items=12)
    cases = review_cases([one for one in every if one.item in window[one.reviewer]], size=2)
    tuning, test = tuning_cases(cases, 0.05, seed=0)
    assert len({case.person for case in test}) == 1
    assert {case.person for case in tuning} & {case.person for case in test} == set()
    asked = {case.subject for case in test}
    assert tuning
    assert {text for case in tuning for text in (case.subject, *case.items)} & asked == set()
    with pytest.raises(InputError, match="none be left for tuning"):
        tuning_cases(cases, 0.99)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 10), st.integers(1, 10), st.sampled_from("abc")), min_size=4, max_size=12
    )
)
def test_coefficients_are_those_of_scipy_and_of_each_person(rows):
    cases = [ScoredCase(person, float(truth), float(score), 5.0) for truth, score, person in rows]
    found = score_agreement(cases, PersonDraws([one.person for one in cases], resamples=0, seed=0))
    x, y = ([getattr(one, name) for one in cases] for name in ("score", "truth"))
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert found["pooled"]["kendall"]["estimate"] == pytest.approx(stats.kendalltau(x, y).statistic)
        assert found["pooled"]["pearson"]["estimate"] == pytest.approx(stats.pearsonr(x, y).statistic)
    own = []
    for person in "abc":
        a, b = ([getattr(one, name) for one in cases if one.person == person] for name in ("score", "truth"))
        if len(a) > 2 and len(set(a)) > 1 and len(set(b)) > 1:
            own.append(stats.spearmanr(a, b).statistic)
    assert found["by_person"]["spearman"]["persons"] == len(own)
    if own:
        assert found["by_person"]["spearman"]["estimate"] == pytest.approx(np.mean(own))


def test_the_gain_of_a_judge_over_itself_is_nothing():
    cases = [ScoredCase(f"p{n % 3}", float(n % 7), float(n % 5), None) for n in range(12)]
    draws = PersonDraws([one.person for one in cases], resamples=60, seed=0)
    for one in gain_over(cases, cases, draws).values():
        assert (one["estimate"], one["ci_low"], one["ci_high"], one["n"]) == (0.0, 0.0, 0.0, 12)


def test_biases_alone_are_the_ridge_solution_of_one_system_of_equations():
    reviews, ridge = people()[1:-3], 0.7
    found = factorise(reviews, factors=0, ridge=ridge, rounds=400)
    design = np.zeros((len(reviews), 10))
    for row, one in enumerate(reviews):
        design[row, [int(one.reviewer[1:]), 4 + int(one.item[1:])]] = 1
    scores = np.array([one.score for one in reviews])
    direct = np.linalg.solve(design.T @ design + ridge * np.eye(10), design.T @ (scores - scores.mean()))
    for one in reviews:
        wanted = scores.mean() + direct[int(one.reviewer[1:])] + direct[4 + int(one.item[1:])]
        assert found.score(one.reviewer, one.item) == pytest.approx(wanted, abs=1e-8)


def test_no_round_of_the_factorisation_makes_it_worse_and_strangers_have_no_score():
    found = factorise(people(), factors=3, seed=4)
    assert all(after <= before + 1e-9 for before, after in zip(found.loss, found.loss[1:], strict=False))
    assert found.loss[-1] < found.loss[0]
    assert (found.score("p0", "nowhere"), found.score("nobody", "i0")) == (None, None)
    with pytest.raises(InputError, match="nothing to train on"):
        factorise([])


def line(reviewer="ann", item="x", score=4):
    review = 'It is "fine". But'
    return {"reviewer": reviewer, "item": item, "text": "A plot. And", "review": review, "score": score}


def test_reviews_are_read_cut_and_laid_on_one_scale(tmp_path):
    path = write_lines(
        tmp_path / "r.jsonl", [line(item=name, score=2) for name in "abc"] + [line("bob", "a")]
    )
    found = read_reviews(path, lowest=1, highest=5, size=2)
    (case,) = found.cases
    assert (case.query.score, case.query.text, case.query.review) == (3.25, "A plot.", "It is fine.")
    assert found.left_out == {"long_texts": 0, "persons_with_few_reviews": 1}
    assert {(one.reviewer, one.item) for one in found.known} == {
        ("ann", one.item) for one in case.profile
    } | {("bob", "a")}


def test_every_fault_of_reviews_is_named(tmp_path):
    path = write_lines(
        tmp_path / "r.jsonl",
        [line(score=11), line(item=""), {"reviewer": "ann"}, [1], line(), line(),
         {"examples": [{"reviewer_name": "a"}]}, {"examples": [{}, {}]}],
    )  # fmt: skip
    with pytest.raises(InputError) as raised:
        read_reviews(path)
    assert [str(fault).partition("r.jsonl")[2] for fault in raised.value.faults] == [
        ":1: field 'score' is 11, not a number from 1 to 10",
        ":2: field 'item' is empty",
        ":3: field 'score' is None, not a number from 1 to 10",
        ":4: must be a JSON object, not a list",
        ":7: field 'examples' must be a list of past reviews and one to be foretold",
        ":8: example 1 lacks reviewer_name, movie_id, summ_plot, clean_review, score",
        ": 'ann' reviews 'x' twice; keep one of both",
    ]
    good = write_lines(tmp_path / "good.jsonl", [line()])
    with pytest.raises(InputError, match="nobody has more than 3 reviews"):
        read_reviews(good)
    with pytest.raises(InputError, match="--lowest must be below --highest"):
        read_reviews(good, lowest=5, highest=5)


def test_the_released_form_has_its_own_profiles(tmp_path):
    def example(item, score):
        texts = {"summ_plot": f"Plot {item}.", "clean_review": "Good ||| Fine."}
        return {"reviewer_name": "kim", "movie_id": item, **texts, "score": score}

    path = write_lines(
        tmp_path / "m.jsonl", [{"examples": [example("a", 3), example("b", 9), example("c", 7)]}]
    )
    (case,) = read_reviews(path).cases
    assert ([one.score for one in case.profile], case.query.score, case.subject) == ([3, 9], 7, "c")
    assert baseline_reviews([case], "reviewer-average", []).scores == [6.0]
