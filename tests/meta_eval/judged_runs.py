"""Runs of `judge summaries` by a rule in place of a model, with every reply kept, for reports and bundles."""

import json

from meta_eval.llm.models import Reply, parse_model, request_key
from meta_eval.llm.prompts import load_prompt
from meta_eval.studies.perse.measuring import asking_record
from meta_eval.studies.perse.runs import PROMPT, PerseRun
from meta_eval.studies.perse.summaries import SummaryPlan, summary_questions

OPTIONS = parse_model("replay:model=rule")


def plans(**options):
    """A run under readers' own profiles, and its control."""
    return [SummaryPlan(shuffled=shuffled, **options) for shuffled in (False, True)]


def make_run(corpus, rule, asked, histories=None):
    """The run in which `rule` scores each prompt from 1 to 10."""
    prompt = load_prompt(PROMPT)
    replies, shown = {}, {}
    for plan in asked:
        found = summary_questions(corpus, plan, prompt, histories)
        shown |= found.histories
        for _, question in found.questions:
            text = json.dumps({"reason": "As it is.", "score": rule(question.request.messages[-1].content)})
            replies[request_key(OPTIONS, question.request)] = Reply(text, prompt_tokens=9)
    records = [
        {
            "plan": plan.as_record(),
            "asking": asking_record(OPTIONS, 2, shown),
            "prompt_digest": prompt.digest,
        }
        for plan in asked
    ]
    return PerseRun.from_records(records, replies, corpus)
