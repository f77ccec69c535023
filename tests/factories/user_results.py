"""Results of `users score` for tests: made-up people, two approaches that say the same of everybody."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from meta_eval.llm.models import parse_model
from meta_eval.llm.prompts import load_prompt
from meta_eval.studies.users.comparing import Resampling
from meta_eval.studies.users.metrics import parse_threshold
from meta_eval.studies.users.predicting import match_tasks, prediction_questions
from meta_eval.studies.users.results import result_texts
from meta_eval.studies.users.scoring import Setting, score_summaries
from meta_eval.studies.users.summaries import Summary
from meta_eval.studies.users.tasks import make_tasks
from meta_eval.studies.users.timelines import read_timelines
from tests.factories.user_models import MODEL, make_ask

FIXTURE = Path(__file__).parents[2] / "fixtures" / "users"
USERS = 6
SAID = {"plain": "Favourite: drama.", "long": "Favourite: comedy, horror. This person likes films very much."}
"""By approach, what it says of everybody."""
TRAIL = (
    b'{"user": "Ada", "approach": "plain", "past": 9, "shown": 9, "summary": "Likes rain.", "reason": null}\n'
)


@cache
def study_texts() -> Mapping[str, str]:
    """The files that `users score` writes, by name."""
    timelines = read_timelines(FIXTURE / "timeline.jsonl")[:USERS]
    summaries = [Summary(one.user, approach, said) for approach, said in SAID.items() for one in timelines]
    matched = match_tasks(summaries, make_tasks(timelines).tasks)
    prompt = load_prompt("users-predict")
    asked = prediction_questions(matched, prompt)
    answers = make_ask({})([question for _, question in asked])
    results, predictions = score_summaries(
        matched,
        asked,
        answers,
        options=parse_model(f"replay:model={MODEL}"),
        prompt=prompt,
        setting=Setting(threshold=parse_threshold("50%"), limit=100),
        resampling=Resampling(resamples=200, flips=64),
    )
    return result_texts(results, predictions)


def study_labels() -> bytes:
    """A label of each summary."""
    users = [one.user for one in read_timelines(FIXTURE / "timeline.jsonl")[:USERS]]
    rows = [
        f"{user},{approach},r1,{'good' if at % 2 else 'bad'}"
        for approach in SAID
        for at, user in enumerate(users)
    ]
    return "\n".join(["user,approach,rater,label", *rows, ""]).encode()
