"""The demonstration's study of summaries of users: made-up people, a scripted model's replies, no network."""

import io
import json
from collections.abc import Sequence
from datetime import datetime

from meta_eval.llm.asking import Answer, Asking
from meta_eval.llm.files import read_replies
from meta_eval.llm.models import ReplayModel, parse_model
from meta_eval.llm.prompts import load_prompt
from meta_eval.llm.questions import Question
from meta_eval.llm.replies import KeptReplies
from meta_eval.studies.users.comparing import Resampling
from meta_eval.studies.users.critique import Critique, summarise_critically
from meta_eval.studies.users.metrics import parse_threshold
from meta_eval.studies.users.predicting import match_tasks, prediction_questions
from meta_eval.studies.users.results import result_texts
from meta_eval.studies.users.scoring import Setting, score_summaries
from meta_eval.studies.users.summarising import summarise_single
from meta_eval.studies.users.tasks import make_tasks
from meta_eval.studies.users.timelines import read_timelines
from survey_site.accounts.models import User
from survey_site.common.archives import Chosen
from survey_site.projects.models import Project
from survey_site.settings.table import BASE_DIR
from survey_site.studies.files import StudyFiles
from survey_site.studies.models import Study
from survey_site.studies.services import import_study

FOLDER = BASE_DIR / "fixtures" / "users"
NAME = "Demo study of summaries of users (scripted model)"
MODEL = "replay:model=scripted"
LEAST = 8
"""Activities of a segment: made-up people have few."""


def ensure_study(admin: User, project: Project, now: datetime) -> tuple[Study, bool]:
    """The study, and whether it was made now: everything is asked anew of the replies in the file."""
    if found := project.studies.filter(name=NAME).order_by("pk").first():
        return found, False
    result = import_study(name=NAME, files=_run(), now=now, by=admin, project=project)
    return result.study, result.created


def _run() -> StudyFiles:
    """Summaries by both approaches, their scores, labels and the trail of the checked one, as commands do."""
    options, prompt = parse_model(MODEL), load_prompt("users-predict")
    kept = KeptReplies(None, read_replies(FOLDER / "replies.jsonl"))

    def ask(questions: Sequence[Question]) -> list[Answer]:
        return list(Asking(questions, ReplayModel(options), kept=kept))

    timelines = read_timelines(FOLDER / "timeline.jsonl")
    single = summarise_single(timelines, ask)
    checked = summarise_critically(timelines, ask, ask, critique=Critique(least=LEAST))
    matched = match_tasks([*single.summaries, *checked.summaries], make_tasks(timelines).tasks)
    asked = prediction_questions(matched, prompt)
    setting = Setting(threshold=parse_threshold("50%"), limit=100)
    answers = ask([question for _, question in asked])
    results, predictions = score_summaries(
        matched, asked, answers, options=options, prompt=prompt, setting=setting, resampling=Resampling()
    )
    trail = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in checked.trail)
    return StudyFiles(
        results=[_chosen(name, text) for name, text in result_texts(results, predictions).items()],
        labels=_chosen("labels.csv", (FOLDER / "labels.csv").read_text("utf-8")),
        trails=[_chosen("trail.jsonl", trail)],
    )


def _chosen(name: str, text: str) -> Chosen:
    return name, io.BytesIO(text.encode())
