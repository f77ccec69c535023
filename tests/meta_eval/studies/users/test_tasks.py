"""Timelines and tasks: what is asked, from whose past, and that no future is seen."""

import math
from io import BytesIO
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.errors import InputError
from meta_eval.llm.prompts import load_prompt
from meta_eval.studies.users.predicting import (
    first_share,
    match_tasks,
    other_users,
    prediction_questions,
    read_answers,
)
from meta_eval.studies.users.summaries import Summary, read_summaries
from meta_eval.studies.users.tasks import ABOVE, make_tasks, read_tasks, task_lines
from meta_eval.studies.users.timelines import (
    Activity,
    Timeline,
    make_timeline,
    read_time,
    read_timelines,
    timeline_lines,
)
from tests.factories.user_models import make_ask

GENRES = ("comedy", "western", "mystery", "musical", "horror", "romance", "space", "history")


def people(count, seed=1, favourites=GENRES):
    """Users who see films of one favourite genre of eight, each film of a number."""
    draw = Random(seed)
    found = []
    for number in range(count):
        genre = draw.choice(favourites)
        seen = draw.sample(range(200), 13)
        activities = [
            Activity(
                f"{genre}-{film}", f"The {genre} of {film}", read_time(place * 86_400), {"genre": (genre,)}
            )
            for place, film in enumerate(seen)
        ]
        found.append(make_timeline(f"user{number}", activities))
    return found


def favourite(timeline):
    return timeline.activities[0].attributes["genre"][0]


def predictions_of(timelines, texts):
    tasks = [task for task in make_tasks(timelines).tasks if task.kind == "attribute"]
    matched = match_tasks([Summary(user, "oracle", text) for user, text in texts.items()], tasks)
    asked = prediction_questions(matched, load_prompt("users-predict"))
    answers = make_ask({})([question for _, question in asked])
    return read_answers([one for one, _ in asked], answers)


def test_an_oracle_is_right_and_the_controls_are_not_above_chance():
    timelines = people(60)
    found = predictions_of(timelines, {one.user: f"Favourite: {favourite(one)}." for one in timelines})
    rights = {
        shown: [one.right for one in found if one.asked.shown == shown] for shown in ("own", "none", "other")
    }
    share = {shown: sum(given) / len(given) for shown, given in rights.items()}
    error = math.sqrt(0.25 * 0.75 / len(rights["none"]))
    assert len(rights["own"]) == 60 * 5
    assert share["own"] == 1
    assert abs(share["none"] - 0.25) <= 3 * error
    # Five tasks of a user share the summary, so that users are the sample, not tasks.
    assert share["other"] <= 0.25 + 3 * math.sqrt(0.25 * 0.75 / len(timelines))
    assert 0.1 < first_share(found) < 0.4


@settings(max_examples=25)
@given(st.integers(0, 50), st.integers(2, 6), st.integers(1, 6))
def test_options_hold_the_truth_once_and_nothing_that_the_user_touched(seed, options, future):
    timelines = people(6, seed, GENRES[:3])
    by_user = {timeline.user: timeline for timeline in timelines}
    for task in make_tasks(timelines, future=future, options=options, seed=seed).tasks:
        past, coming = by_user[task.user].split(future)
        assert len(set(task.options)) == len(task.options) <= options
        assert (task.chance, task.past) == (1 / len(task.options), len(past))
        activity = coming[int(task.id.split("/")[0]) - 1]
        if task.kind == "item":
            assert task.options[task.truth] == activity.name
            touched = {one.name for one in by_user[task.user].activities}
            assert [one for one in task.options if one in touched] == [activity.name]
            others = [one for one in timelines if one.user != task.user]
            seen = {one.name for other in others for one in other.split(future)[0]}
            assert set(task.options) - {activity.name} <= seen
        else:
            assert [one for one in task.options if one in activity.attributes["genre"]] == [
                task.options[task.truth]
            ]


def test_other_options_are_of_similar_popularity():
    def seen(user, *items):
        return Timeline(user, tuple(Activity(item, item) for item in items))

    timelines = [
        *(seen(f"fan{n}", "hit", "rare" if n == 0 else "known", f"end{n}") for n in range(4)),
        seen("ann", "own", "hit2"),
        *(seen(user, "hit2", f"end of {user}") for user in ("bob", "cid", "dan")),
    ]
    (task,) = [one for one in make_tasks(timelines, future=1, options=3).tasks if one.user == "ann"]
    # hit2 was chosen three times before, as known was; hit four times, and all else once.
    assert sorted(task.options) == ["hit", "hit2", "known"]


def test_ratings_are_asked_where_the_past_has_a_spread():
    def rated(user, *ratings):
        return Timeline(
            user, tuple(Activity(f"{user}{n}", f"{user}{n}", rating=one) for n, one in enumerate(ratings))
        )

    made = make_tasks([rated("ann", 1, 5, 4), rated("bob", 3, 3, 5), rated("cid", 2, 4, 3)], future=1)
    tasks = {task.user: task for task in made.tasks if task.kind == "rating"}
    assert {user: task.options[task.truth] == ABOVE for user, task in tasks.items()} == {
        "ann": True,
        "cid": False,
    }
    assert made.left_out == {"ratings without a past spread": 1}
    assert tasks["ann"].question == "This person went on to rate 'ann2'. How was that rating?"


def test_what_was_chosen_before_is_not_asked_as_new():
    again = Timeline("ann", (Activity("x", "X"), Activity("y", "Y"), Activity("x", "X")))
    other = Timeline("bob", (Activity("p", "P"), Activity("q", "Q"), Activity("r", "R")))
    made = make_tasks([again, other], future=1)
    assert [task.user for task in made.tasks] == ["bob"]
    assert made.left_out == {"items chosen before": 1}


def test_tasks_and_timelines_come_back_as_they_were_written():
    timelines = people(5)
    tasks = make_tasks(timelines, seed=3).tasks
    assert read_timelines(BytesIO("".join(timeline_lines(timelines)).encode())) == tuple(timelines)
    assert read_tasks(BytesIO("".join(task_lines(tasks)).encode())) == tasks
    assert make_tasks(timelines, seed=3).tasks == tasks != make_tasks(timelines, seed=4).tasks


def test_activities_are_sorted_and_those_of_one_time_keep_their_order():
    line = (
        b'{"user": "u", "activities": [{"item": "c", "time": "2026-01-02"}, {"item": "b", "time": 1767225600}'
        b', {"item": "a", "time": "2026-01-01T01:00:00+01:00"}]}'
    )
    (timeline,) = read_timelines(BytesIO(line))
    assert [one.item for one in timeline.activities] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("[]", "is no JSON object with a user and a list of activities"),
        ('{"user": "u", "activities": [{"name": "x"}]}', "activity 1: item must be a text, not null"),
        (
            '{"user": "u", "activities": [{"item": "x", "time": "soon"}]}',
            "activity 1: time 'soon' is neither",
        ),
        (
            '{"user": "u", "activities": [{"item": "x", "rating": "5"}]}',
            "activity 1: rating must be a finite",
        ),
        (
            '{"user": "u", "activities": [{"item": "x", "time": 1}, {"item": "y"}]}',
            "1 of 2 activities of user 'u'",
        ),
    ],
)
def test_a_faulty_timeline_is_named_with_its_line(line, fault):
    with pytest.raises(InputError, match=f"^times.jsonl:2: {fault}"):
        read_timelines(BytesIO(f'{{"user": "ok", "activities": []}}\n{line}\n'.encode()), name="times.jsonl")


def test_a_summary_that_saw_the_future_is_refused():
    timelines = people(3)
    tasks = make_tasks(timelines, future=5).tasks
    summaries = read_summaries(BytesIO(b'{"user": "user0", "approach": "a", "summary": "x", "past": 9}'))
    with pytest.raises(InputError, match="was written from 9 activities, and the tasks begin after 8"):
        match_tasks(summaries, tasks)


@settings(max_examples=30)
@given(st.sets(st.text(min_size=1, max_size=5), min_size=2, max_size=9), st.integers(0, 5))
def test_nobody_gets_the_own_summary_as_another_one(users, seed):
    others = other_users(users, seed)
    assert set(others) == set(others.values()) == users
    assert [user for user, other in others.items() if user == other] == []


def test_options_change_places_and_answers_are_read_back():
    timelines = people(4)
    tasks = make_tasks(timelines).tasks[:3]
    matched = match_tasks([Summary(tasks[0].user, "a", f"Favourite: {favourite(timelines[0])}.")], tasks)
    asked = prediction_questions(matched, load_prompt("users-predict"), all_orders=True, controls=False)
    for one, question in asked:
        options = [
            line[3:] for line in question.request.messages[-1].content.splitlines() if line[1:3] == ") "
        ]
        assert options == [*one.task.options[one.turn :], *one.task.options[: one.turn]]
    found = read_answers([one for one, _ in asked], make_ask({})([question for _, question in asked]))
    assert {one.right for one in found if one.asked.task.kind == "attribute"} == {True}
    assert len(asked) == sum(len(task.options) for task in tasks)
