"""How likely a model was to give each value of a form, from the probabilities of its tokens (G-Eval, 2023).

A server says of each token of a reply which others were likely there. The value is found by its place in the
reply, never as "the first token that equals it": an explanation may hold the same digit. A local model scores
the whole text of every value. Where the valid values hold less than nine tenths, nothing is weighed.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.llm.forms import Choice, Form, Score, last_block

LEAST_VALID = 0.9
"""The probability that valid values must hold at the place of the value."""
MOST_UNCLEAR = 0.01
"""The most probability of a token that may begin two values, as "1" of 1 and 10 may, unless the next says."""
TAIL = 16
"""Tokens at the end of a reply of which others are kept: the value stands there, after an explanation."""
MOST_LIKELY = 20
"""Others of a token that are asked for: the most that servers give."""
LEAST, SURPLUS = -9999.0, 0.01
"""The least log-probability that is kept, and above what a number is none."""

Tail = Sequence[tuple[str, Mapping[str, float]]]
"""The last tokens of a reply, each with the log-probabilities of those that were likely in its place."""


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """The values of a form as they are written, what may follow one, and where it stands in a reply."""

    options: tuple[str, ...]
    ends: re.Pattern[str]
    start: int
    end: int
    is_quoted: bool


def find_value(form: Form, text: str) -> ValueSpan | None:
    """Where the value stands that a score or a choice reads in a reply.

    None for another form, without a value, and where the last that looks like one is not what is read.
    """
    if not isinstance(form, Score | Choice):
        return None
    block = last_block(text)
    first = text.rindex(block) if block else 0
    found = [match.span(1) for match in form.pattern.finditer(text, first, first + len(block or text))]
    if not found or json.loads(text[slice(*found[-1])]) != form.read(text).value:
        return None
    start, end = found[-1]
    if not isinstance(form, Score):
        quoted = tuple(json.dumps(option, ensure_ascii=False)[1:-1] for option in form.options)
        return ValueSpan(quoted, re.compile('"'), start + 1, end - 1, is_quoted=True)
    numbers = tuple(str(number) for number in range(form.lowest, form.highest + 1))
    return ValueSpan(numbers, re.compile("[^0-9.eE]"), start, end, is_quoted=False)


def tail_of(logprobs: Any) -> str | None:
    """The end of a chat completion's `logprobs`, as a reply keeps it; None where there is none to be read.

    Examples
    --------
    >>> tail_of({"content": [{"token": "A", "logprob": -0.1, "top_logprobs": []}]})
    '{"tail": [["A", {"A": -0.1}]]}'
    """
    try:
        tail = [[str(one["token"]), _likely(one)] for one in logprobs["content"][-TAIL:]]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # the reply itself may be whole
    return json.dumps({"tail": tail}, ensure_ascii=True) if tail else None


def _likely(one: Mapping[str, Any]) -> dict[str, float]:
    """The log-probability of each text in a token's place: several tokens may have one text."""
    found: dict[str, set[float]] = {}
    for other in one.get("top_logprobs") or ():
        found.setdefault(str(other["token"]), set()).add(_number(other["logprob"]))
    return {str(one["token"]): _number(one["logprob"])} | {text: _sum(of) for text, of in found.items()}


def _sum(values: Iterable[float]) -> float:
    """The log-probability of any of some tokens."""
    first, *others = sorted(values, reverse=True)
    return first + math.log1p(math.fsum(math.exp(one - first) for one in others)) if others else first


def kept_options(scores: Mapping[str, float]) -> str:
    """The log-probabilities of whole values, as a reply keeps them."""
    return json.dumps({"options": dict(scores)}, ensure_ascii=True)


def _number(value: Any) -> float:
    # One of a token that is certain may be rounded to a little above 0.
    if isinstance(value, bool) or not isinstance(value, int | float) or not value < SURPLUS:
        raise ValueError("a log-probability is a number up to 0")
    return max(float(value), LEAST)  # servers write minus infinity in several ways; JSON in none


def weigh(form: Form, text: str, top: str | None) -> dict[str, float] | None:
    """The probability of each value of a form, at the place where a reply has its value.

    Parameters
    ----------
    form : Form
    text : str
        The reply.
    top : str or None
        What it kept of its tokens: `tail_of`, or `kept_options`.

    Returns
    -------
    dict or None
        By value as it is written, adding up to 1. None where nothing is known of the tokens, where the value
        is not among the last ones, and where valid values hold less than nine tenths there.

    Examples
    --------
    >>> tail = [['{"score": ', {}], ["7", {"7": math.log(0.5), "8": math.log(0.5)}], ["}", {}]]
    >>> weigh(Score(1, 9), '{"score": 7}', json.dumps({"tail": tail}))["8"]
    0.5
    """
    span = find_value(form, text) if top else None
    if span is None:
        return None
    try:
        kept = json.loads(top or "")
        if "options" in kept:
            return _of_options(span, kept["options"])
        return _of_tail(span, text, kept["tail"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def expected_score(probabilities: Mapping[str, float]) -> float:
    """The mean of a score under its probabilities.

    Examples
    --------
    >>> expected_score({"1": 0.25, "3": 0.75})
    2.5
    """
    return math.fsum(int(value) * share for value, share in probabilities.items())


def _of_options(span: ValueSpan, scores: Mapping[str, float]) -> dict[str, float]:
    """Of whole values: there is nothing beside them."""
    known = {option: _number(scores[option]) for option in span.options}
    highest = max(known.values())
    return _shared({option: math.exp(value - highest) for option, value in known.items()})


def _of_tail(span: ValueSpan, text: str, tail: Tail) -> dict[str, float] | None:
    place = _place(span.start, text, tail)
    if place is None:
        return None
    at, lead = place
    held = dict.fromkeys(span.options, 0.0)
    unclear = 0.0
    for token, value in tail[at][1].items():
        share = math.exp(_number(value))
        for option, part in _meant(span, token, lead, tail, at):
            if option is None:
                unclear += share * part
            else:
                held[option] += share * part
    if unclear > MOST_UNCLEAR or sum(held.values()) < LEAST_VALID:
        return None
    return _shared(held)


def _place(start: int, text: str, tail: Tail) -> tuple[int, str] | None:
    """Which token holds the beginning of the value, and what of that token stands before it."""
    written = [token for token, _ in tail]
    # Some servers list the token that ends a reply, which is no part of its text.
    for count in (len(written), len(written) - 1):
        joined = "".join(written[:count])
        if joined and text.endswith(joined):
            break
    else:
        return None
    begin = len(text) - len(joined)
    for number, token in enumerate(written[:count]):
        if begin <= start < begin + len(token):
            return number, text[begin:start]
        begin += len(token)
    return None


def _meant(span: ValueSpan, token: str, lead: str, tail: Tail, at: int) -> Iterator[tuple[str | None, float]]:
    """Which values a token means and with what share of its probability; None for what cannot be told."""
    rest = _rest(span, token, lead)
    if rest is None:
        return
    ended = [one for one in span.options if rest.startswith(one) and span.ends.match(rest, len(one))]
    if ended:
        yield ended[0], 1.0
    elif rest in span.options:
        longer = [one[len(rest) :] for one in span.options if one.startswith(rest) and one != rest]
        if not longer:
            yield rest, 1.0
        elif token != tail[at][0] or at + 1 >= len(tail):
            yield None, 1.0
        else:
            yield from _split(span, rest, longer, tail[at + 1][1])


def _rest(span: ValueSpan, token: str, lead: str) -> str | None:
    """What a token holds from the value on; None where it writes something else before it.

    Before a number, and before a quotation mark, there may be a space or none.
    """
    if lead or not span.is_quoted:
        token, lead = token.lstrip(), lead.strip()
    if not token.startswith(lead):
        return None
    rest = token[len(lead) :]
    return rest if span.is_quoted else rest.lstrip()


def _split(
    span: ValueSpan, rest: str, longer: Sequence[str], following: Mapping[str, float]
) -> Iterator[tuple[str | None, float]]:
    """A token that begins two values, by what the model was likely to write after it."""
    for token, value in following.items():
        more = next((one for one in longer if token == one or _ends(span, token, one)), None)
        if more is not None:
            yield rest + more, math.exp(_number(value))
        elif span.ends.match(token):
            yield rest, math.exp(_number(value))


def _ends(span: ValueSpan, token: str, option: str) -> bool:
    return token.startswith(option) and span.ends.match(token, len(option)) is not None


def _shared(held: Mapping[str, float]) -> dict[str, float]:
    total = math.fsum(held.values())
    return {option: value / total for option, value in held.items()}
