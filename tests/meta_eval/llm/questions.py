"""Questions, a scripted judge and a flaky server for the tests of asking."""

import hashlib
import json

from meta_eval.llm.forms import Score
from meta_eval.llm.http import HttpModel
from meta_eval.llm.models import parse_model
from meta_eval.llm.questions import Message, Question, Request
from tests.factories.llm_server import Play, prompt_of

FORM = Score(1, 6)


def question(number, *, sample=0, text=None):
    content = f"{text or f'pair {number}'}\n\n{FORM.instructions}"
    return Question(f"q{number}", Request((Message("user", content),), FORM, 32, sample))


def right_score(text):
    """What the judge gives to a prompt: made of its text, so that every reply is known beforehand."""
    return 1 + int(hashlib.sha256(text.encode()).hexdigest(), 16) % 6


def judge(body, times):
    return Play(json.dumps({"score": right_score(prompt_of(body))}))


def flaky(body, times):
    """In three of ten requests a fault at first: of the network, the server, or the model's own."""
    if len(body["messages"]) > 1:  # a repair turn
        return Play(json.dumps({"score": right_score(body["messages"][0]["content"])}))
    text = prompt_of(body)
    fate = int(hashlib.sha256(b"fate" + text.encode()).hexdigest(), 16) % 30
    first = times == 0
    return {
        0: Play(status=429, headers={"Retry-After": "7"}) if first else None,
        1: Play(status=500) if first else None,
        2: Play(fault="cut") if times < 2 else None,
        3: Play(fault="garbage") if first else None,
        4: Play(fault="hang") if first else None,
        5: Play(status=503) if times < 3 else None,
        6: Play("I would rather not say a number."),
        7: Play("", refusal="I cannot help with that."),
        8: Play('{"scor', finish="length"),
    }.get(fate) or judge(body, times)


class Naps(list):
    """A sleeper that notes for how long it was asked to sleep, and does not."""

    def __call__(self, seconds):
        self.append(seconds)


def http_model(server, *, sleep=None, **options):
    typed = ",".join(f"{name}={value}" for name, value in {"model": "judge", **options}.items())
    return HttpModel(
        parse_model(f"http:{typed},url={server.url}"),
        sleep=Naps() if sleep is None else sleep,
        jitter=lambda: 0.0,
    )
