"""Summaries by a model: what prompts show, what the critique takes out, and what the trail says of it."""

import re

import pytest

from meta_eval.llm.asking import Answer
from meta_eval.llm.prompts import load_prompt
from meta_eval.studies.users.claims import ItemNames, is_same_answer, listed_entities, names_answer
from meta_eval.studies.users.critique import PROMPTS, Critique, count_segments, summarise_critically
from meta_eval.studies.users.segments import cut_segments
from meta_eval.studies.users.summarising import Size, summarise_single
from meta_eval.studies.users.timelines import Activity, Timeline, make_timeline, read_time
from meta_eval.studies.users.trails import trail_lines
from tests.factories.user_models import GENRE_OF, INVENTED, make_ask, reply

DIGESTS = {
    "users-single": "00ef6167f43c6e5142e80f22e611900780d5bc3a4434c6062ebe2a0f748b3f67",
    "users-segment": "f978a38c3128ed1840b30adb42c93f5f33fa1a26f0565c98bc90cde7451b4f9a",
    "users-check": "a932feca869e4ea8423b2d804224782b38ed85507eedf8c7dbc83b8a2e172e58",
    "users-entities": "263809c37aeba146d224437e3a859dc34c5d80ba40e089236a89294f020a1928",
    "users-question": "0a78a96b61c34e0ba28266c3166dcec73ea8fe977b0f741050f0555fb8ad88e7",
    "users-answer": "a74b99c8ecaefdf5c775de8e8ec1b76afcd78dd3d09e5d556d20afabaf03406a",
    "users-revise": "b124aa9ffdcfb304f9bb4d64553d81058a4f619a8c4dd5b7998c4e948ad85c55",
    "users-combine": "d773c8ce713651fea97900c423a251b4251583a40c8634a2c8a5349d6f78a557",
    "users-predict": "dd888031f39c45a66bc4253173d2bf7647050273350a05db9aa0967d5a876ca2",
}
FILMS = [f"The {word} {noun}" for word in ("Amber", "Silent") for noun in GENRE_OF]


def moviegoer(user, *, first=0, films=30, future="The Secret Marker"):
    """Somebody who sees a film every ten days, and last of all the marker."""
    names = [FILMS[(first + place) % len(FILMS)] for place in range(films)]
    activities = [
        Activity(name, name, read_time(place * 864_000), {"genre": (GENRE_OF[name.split()[-1]],)})
        for place, name in enumerate(names)
    ]
    return make_timeline(user, [*activities, Activity(future, future, read_time(10**9))])


def recording(seen, script=reply):
    def answer(prompt):
        seen.append(prompt)
        return script(prompt)

    return make_ask({}, answer)


def test_a_changed_word_of_a_prompt_is_noticed():
    """Give a template a new version with its new digest: results under the old one are others."""
    assert {name: (load_prompt(name).version, load_prompt(name).digest) for name in DIGESTS} == {
        name: (1, digest) for name, digest in DIGESTS.items()
    }
    assert {f"users-{name}" for name in PROMPTS} < set(DIGESTS)


@pytest.mark.parametrize("entities", ["model", "timeline"])
def test_the_future_occurs_in_no_prompt_that_makes_a_summary(entities):
    seen = []
    ask = recording(seen)
    timelines = [moviegoer("ann"), moviegoer("bob", first=7)]
    summarise_single(timelines, ask, future=1)
    summarise_critically(timelines, ask, ask, critique=Critique(least=5, entities=entities), future=1)
    assert len(seen) > 20
    assert [prompt for prompt in seen if "Marker" in prompt] == []
    assert [prompt for prompt in seen if "user" in prompt.split() or "ann" in prompt.split()] == []


def test_after_one_round_every_invented_film_is_gone_and_no_true_claim_is():
    timelines = [moviegoer("ann"), moviegoer("bob", first=7)]
    ask = make_ask({})
    made = summarise_critically(timelines, ask, ask, critique=Critique(least=5, rounds=1), future=1)
    segments = [segment for trail in made.trail for segment in trail["segments"]]
    assert len(segments) == count_segments(timelines, Critique(least=5), 1) == 6
    for segment in segments:
        (one,) = segment["rounds"]
        claims = {claim["claim"]: claim for claim in one["claims"]}
        assert INVENTED in segment["first"]
        assert claims[INVENTED]["found"] == "not in the activities"
        assert [name for name, claim in claims.items() if claim["supported"] is False] == [INVENTED]
        true = [name for name in claims if name != INVENTED]
        assert len(true) >= 2
        assert [name for name in true if name not in segment["summary"]] == []
        assert INVENTED not in segment["summary"]
        assert all(INVENTED not in claim["question"] for claim in claims.values())
    assert [one.user for one in made.summaries] == ["ann", "bob"]
    assert [one for one in made.summaries if INVENTED in one.text] == []
    told = "\n".join(line for trail in made.trail for line in trail_lines(trail))
    assert told.count(f"Claim {INVENTED}: not borne out") == 6


def test_claims_beyond_the_most_are_named_and_counted():
    ask = make_ask({})
    critique = Critique(least=5, rounds=1, claims=1)
    made = summarise_critically([moviegoer("ann")], ask, ask, critique=critique, future=1)
    rounds = [one for trail in made.trail for part in trail["segments"] for one in part["rounds"]]
    assert [len(one["claims"]) for one in rounds] == [1] * len(rounds)
    assert made.unchecked == sum(len(one["not_checked"]) for one in rounds) > 0
    told = "\n".join(line for trail in made.trail for line in trail_lines(trail))
    assert told.count("not checked: ") == sum(bool(one["not_checked"]) for one in rounds)
    every = summarise_critically([moviegoer("ann")], ask, ask, critique=Critique(least=5, rounds=1), future=1)
    assert every.unchecked == 0


def test_what_is_sound_is_looked_at_once_more_and_then_done():
    ask = make_ask({})
    made = summarise_critically(
        [moviegoer("ann", films=9)], ask, ask, critique=Critique(least=5, rounds=5), future=1
    )
    assert [len(segment["rounds"]) for segment in made.trail[0]["segments"]] == [2]


def test_names_of_timelines_cannot_see_what_was_invented():
    ask = make_ask({})
    made = summarise_critically(
        [moviegoer("ann")], ask, ask, critique=Critique(least=5, entities="timeline"), future=1
    )
    claims = [claim for one in made.trail[0]["segments"] for claim in one["rounds"][0]["claims"]]
    assert {claim["claim"] in FILMS for claim in claims} == {True}
    assert all(INVENTED in segment["summary"] for segment in made.trail[0]["segments"])


def test_a_query_check_that_fails_is_revised_for_its_problem():
    def script(prompt):
        if "Does the text do what was asked" in prompt and "advice" in prompt.split("~~~~")[1]:
            return '{"problems": "it gives advice", "choice": "no"}'
        if "Problem: it gives advice" in prompt:
            return "Favourite: comedy."
        return "Favourite: comedy. My advice is rest." if "in this time, for" in prompt else reply(prompt)

    ask = make_ask({}, script)
    made = summarise_critically([moviegoer("ann", films=6)], ask, ask, critique=Critique(rounds=2), future=1)
    (first, second) = made.trail[0]["segments"][0]["rounds"]
    assert (first["consistent"], first["problems"], first["revised"]) == (
        False,
        "it gives advice",
        "Favourite: comedy.",
    )
    assert (second["consistent"], second["revised"]) == (True, None)


def test_missing_answers_are_said_and_nothing_is_made_up():
    def missing(questions):
        return [Answer("", None, "refused") for _ in questions]

    ask = make_ask({})
    timelines = [moviegoer("ann"), Timeline("bob", (Activity("x", "X"),))]
    silent = summarise_critically(timelines, ask, missing, critique=Critique(least=5), future=1)
    (one, *_) = silent.trail[0]["segments"]
    assert one["rounds"][0]["reasons"] == ["query check: refused", "entities: refused"]
    assert one["summary"] == one["first"]
    assert silent.left_out == {"users without a past": 1}
    for made in (
        summarise_critically(timelines, missing, ask, future=1),
        summarise_single(timelines, missing, future=1),
    ):
        assert made.summaries == ()
        assert made.left_out == {"users without a past": 1, "summaries refused": 1}
        assert made.trail[0]["reason"] == "refused"


def test_the_oldest_activities_leave_a_prompt_that_is_too_long():
    seen = []
    made = summarise_single([moviegoer("ann", films=300)], recording(seen), size=Size(context=700), future=1)
    shown = re.findall(r"^\d{4}-.*; (The \w+ \w+); genre", seen[0], re.MULTILINE)
    assert 20 < len(shown) < 60
    assert shown == [FILMS[place % len(FILMS)] for place in range(300)][-len(shown) :]
    assert (made.trail[0]["shown"], made.trail[0]["past"]) == (len(shown), 300)


def test_segments_end_with_calendar_periods_and_short_ones_join():
    def seen(*days):
        return [Activity(day, day, read_time(day)) for day in days]

    def sizes(activities, **how):
        return [len(one.activities) for one in cut_segments(activities, **how)]

    past = seen("2025-01-01", "2025-02-01", "2025-04-01", "2025-04-02", "2025-12-31", "2026-01-01")
    assert sizes(past, every="month", least=1) == [1, 1, 2, 1, 1]
    assert sizes(past, every="quarter", least=2) == [2, 2, 2]
    assert sizes(past, every="year", least=1) == [5, 1]
    assert sizes(past, every="year", least=2) == [6]
    assert sizes([], every="year") == []
    assert cut_segments(past, every="year", least=1)[0].period == "from 2025-01-01 to 2025-12-31"


@pytest.mark.parametrize(
    ("found", "claimed", "same"),
    [
        ("the Amber Jam.", "Amber jam", True),
        ("it was The Amber Jam", "The Amber Jam", True),
        ("Amber", "Ambers", False),
        ("not in the activities", "activities", False),
        ("Blue Jam of May", "Jam of May Day", True),  # three of four words: F1 0.75
        ("red blue jam", "red dog day", False),  # one of three words
        ("", "jam", False),
    ],
)
def test_answers_that_say_the_same(found, claimed, same):
    assert is_same_answer(found, claimed) is same


def test_entities_must_stand_in_the_summary():
    assert listed_entities("* The Jam\n- none\n3) Red\nThe Jam", "Likes The\nJam.") == (["The Jam"], ["Red"])
    assert ItemNames(["Jam", "The Jam", "Ham"]).within("the jam, hamster") == ["The Jam"]
    assert names_answer("Was it the jam that was liked?", "The Jam")
    assert not names_answer("Was it jammed?", "Jam")
