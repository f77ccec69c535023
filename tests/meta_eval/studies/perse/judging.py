"""Small sets of made-up people, and judges that answer by a rule."""

import importlib.util
import json
import re
from pathlib import Path

from meta_eval.llm.asking import Answer
from meta_eval.llm.models import parse_model
from meta_eval.studies.perse.cases import Review

DEMO = Path(__file__).resolve().parents[4] / "fixtures" / "demo"
OPTIONS = parse_model("replay:model=rule")
FENCED = re.compile(r"^(~{4,})\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)


def demo_judge():
    """The module that made the demonstration's data set, with its stand-in for a model."""
    spec = importlib.util.spec_from_file_location("perse_demo", DEMO / "perse" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answers_by(rule, questions):
    """An answer to each question: what the rule makes of the last message."""
    return [
        Answer(question.id, rule(question.request.messages[-1].content), None, prompt_tokens=1)
        for _, question in questions
    ]


def people(persons=4, items=6):
    """Reviews whose scores differ by person and item, and are even, so that means of two are whole."""
    return [
        Review(f"p{u}", f"i{i}", f"Text {u} {i}.", f"Said {u} {i}.", 2 + 2 * ((3 * u + i * i) % 5))
        for u in range(persons)
        for i in range(items)
    ]


def write_lines(path, records):
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path
