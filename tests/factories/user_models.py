"""A scripted model of UserSumBench's questions: it summarises, invents, checks, corrects and predicts.

It knows which genre a film is of, as a model knows the world, and of a person only what a prompt shows.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence

from fixtures.users.build import GENRES
from meta_eval.llm.asking import Answer, Asking
from meta_eval.llm.forms import Choice
from meta_eval.llm.models import ReplayModel, Reply, parse_model, request_key
from meta_eval.llm.questions import Question
from meta_eval.llm.replies import KeptReplies

MODEL = "scripted"
INVENTED = "The Purple Bicycle"
GENRE_OF = {noun: genre for genre, nouns in GENRES.items() for noun in nouns}
FILM = re.compile(r"The [A-Z][a-z]+ [A-Z][a-z]+")
_FENCED = re.compile(r"^(~{4,})\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)


def reply(prompt: str) -> str:
    """What the model writes; `prompt` is what the user says."""
    fenced = [match[1] for match in _FENCED.findall(prompt)]
    for words, answer in _ANSWERS.items():
        if words in prompt:
            return answer(prompt, fenced)
    raise AssertionError(f"no answer to: {prompt}")


def make_ask(kept: dict[str, str], script: Callable[[str], str] = reply) -> Callable[..., list[Answer]]:
    """A function from questions to answers, as the library takes it; `kept` gets every reply by its key."""
    options = parse_model(f"replay:model={MODEL}")

    def ask(questions: Sequence[Question]) -> list[Answer]:
        for question in questions:
            key = request_key(options, question.request)
            kept.setdefault(key, script(question.request.messages[-1].content))
        given = {key: Reply(text) for key, text in kept.items()}
        return list(Asking(questions, ReplayModel(options), kept=KeptReplies(None, given)))

    return ask


def code(text: str) -> str:
    """By what a question asks for something without naming it."""
    return hashlib.sha256(text.casefold().encode()).hexdigest()[:6]


def favourites(text: str) -> list[str]:
    """The genres that a summary says the person likes."""
    found = re.search(r"Favourite: ([a-z, ]+)\.", text)
    return found[1].split(", ") if found else []


def _summary(activities: str, most: int = 1, invented: str = "") -> str:
    genres = Counter(re.findall(r"genre: (\w+)", activities))
    ranked = sorted(genres.items(), key=lambda one: (-one[1], one[0]))
    best = [genre for place, (genre, seen) in enumerate(ranked[:most]) if seen > 2 or not place]
    seen = FILM.findall(activities)[-1]
    return f"Favourite: {', '.join(best)}. A late choice was {seen}.{invented}"


def _single(prompt: str, fenced: list[str]) -> str:
    return _summary(fenced[0])


def _segment(prompt: str, fenced: list[str]) -> str:
    return _summary(fenced[0], 2, f" Best liked was {INVENTED}.")


def _entities(prompt: str, fenced: list[str]) -> str:
    named = [*favourites(fenced[0]), *FILM.findall(fenced[0])]
    return "\n".join(f"- {name}" for name in named) or "none"


def _question(prompt: str, fenced: list[str]) -> str:
    return f"What did the person choose that has the code {code(fenced[1])}?"


def _answer(prompt: str, fenced: list[str]) -> str:
    wanted = re.search(r"code (\w+)", fenced[1])[1]
    there = [*FILM.findall(fenced[0]), *GENRE_OF.values()]
    shown = [name for name in there if name.casefold() in fenced[0].casefold()]
    return next((name for name in shown if code(name) == wanted), "not in the activities")


def _revise(prompt: str, fenced: list[str]) -> str:
    _, summary, faults = fenced
    wrong = re.findall(r"^Not borne out: (.*?) \(asked", faults, re.MULTILINE)
    sentences = re.split(r"(?<=\.) ", summary)
    return " ".join(one for one in sentences if not any(name in one for name in wrong))


def _combine(prompt: str, fenced: list[str]) -> str:
    named = re.findall(r"Favourite: ([a-z, ]+)\.", fenced[0])
    lasting = list(dict.fromkeys(genre for part in reversed(named) for genre in part.split(", ")))
    return f"Favourite: {', '.join(lasting)}. A late choice was {FILM.findall(fenced[0])[-1]}."


def _predict(prompt: str, fenced: list[str]) -> str:
    known = favourites(fenced[0]) if len(fenced) == 2 else []
    options = dict(re.findall(r"^([A-Z])\) (.*)$", fenced[-1], re.MULTILINE))
    about = re.search(r"went on to rate '(.*)'\.", prompt)
    if about and known:
        liked = GENRE_OF[about[1].split()[-1]] in known
        fits = [letter for letter, text in options.items() if text.startswith("not") != liked]
    else:
        fits = [
            letter
            for letter, text in options.items()
            if text in known or GENRE_OF.get(text.split()[-1]) in known
        ]
    guess = sorted(options)[int(code(fenced[-1]), 16) % len(options)]
    return f'{{"choice": "{fits[0] if fits else guess}"}}'


_ANSWERS: dict[str, Callable[[str, list[str]], str]] = {
    "Options:\n": _predict,
    "in this time, for somebody": _segment,
    "Does the text do what was asked": lambda *_: '{"problems": "none", "choice": "yes"}',
    "List the named or specific things": _entities,
    "Write one question about": _question,
    "Answer this question": _answer,
    "Write the text again": _revise,
    "Write one text of at most": _combine,
    "for somebody who wants to know": _single,
}


def letters(question: Question) -> tuple[str, ...]:
    """The letters that may be chosen."""
    form = question.request.form
    assert isinstance(form, Choice)
    return form.options
