"""Whether the files of a run over tasks fit together, for who takes them from somebody else."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from sys import intern
from typing import Any

from meta_eval.errors import InputError
from meta_eval.files.reading import Faults, read_lines
from meta_eval.files.values import is_number, json_value_problem, parse_json
from meta_eval.studies.users.comparing import MEASURES, Resampling, score_approaches
from meta_eval.studies.users.metrics import Quality, answered_share, by_shown, parse_threshold
from meta_eval.studies.users.results import PREDICTIONS, QUALITY, RUN, SCORES, Results

MOST_APPROACHES = 20
"""Every two of them are four lines of a table."""


@dataclass(frozen=True, slots=True)
class Most:
    """How much is taken: `users`, and `compared`, pairs of approaches times users; `instead` takes more.

    Signs and weights of users take about 14 kB of memory a user; 10,000 comparisons take about five seconds.
    """

    users: int
    compared: int
    instead: str


_FAULTS = 20
_LONGEST_THRESHOLD = 20
_DRAWN = {"low", "high", "ci_low", "ci_high", "p", "p_adjusted"}
"""What is drawn by chance: another version of a library may draw others."""
_NEAR = 1e-9
"""Rounding between an estimate and the end of its interval."""
_QUICK = Resampling(resamples=100, flips=100)
"""What is drawn is not compared, so few draws do."""

Key = tuple[str, str, str]
Given = dict[Key, dict[str, tuple[int, int]]]
"""By approach, user and what was shown: of each task how many answers were right, and how many there were."""


def require_sound(results: Results, folder: Path, most: Most) -> None:
    """Nothing, where the results in the folder can be shown and follow from each other.

    Scores are computed again from the quality of each summary and, where `predictions.jsonl` is there, that
    from the predictions. More than `most` is a fault, too.

    Raises
    ------
    InputError
        With each fault: the file, the line where there is one, and what is wrong.
    """
    faults = Faults(_FAULTS)
    for name, value in ((RUN, results.run), (SCORES, results.scores)):
        if problem := json_value_problem(value):
            faults.add(name, None, problem)
    faults.raise_if_any()
    for message in _faults_of_run(results.run):
        faults.add(RUN, None, message)
    for message in _faults_of_size(results.qualities, most):
        faults.add(QUALITY, None, message)
    faults.raise_if_any()
    for message in _faults_of_scores(results):
        faults.add(SCORES, None, message)
    if (folder / PREDICTIONS).exists():
        given, asked = _read_predictions(folder / PREDICTIONS, results, faults)
        faults.raise_if_any()
        for message in _faults_of_qualities(results.qualities, given, asked):
            faults.add(QUALITY, None, message)
    faults.raise_if_any()


def _faults_of_run(run: Mapping[str, Any]) -> Iterator[str]:
    for name, (fits, wanted) in _RUN.items():
        if name not in run:
            if name not in _OPTIONAL:
                yield f"has no {name}"
        elif not fits(run[name]):
            yield f"{name} is {_short(run[name])}, not {wanted}"
    if _threshold(run.get("at_least")):
        try:
            parse_threshold(run["at_least"])
        except InputError as error:
            yield str(error)


def _threshold(value: Any) -> bool:
    return _text(value) and len(value) <= _LONGEST_THRESHOLD


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _counts(value: Any) -> bool:
    return isinstance(value, dict) and all(_text(name) and _count(one) for name, one in value.items())


def _kinds(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and _text(one.get("kind"))
        and "approach" in one
        and (one["approach"] is None or _text(one["approach"]))
        and one.get("shown") in ("own", "none", "other")
        and "accuracy" in one
        and (one["accuracy"] is None or _share(one["accuracy"]))
        for one in value
    )


def _log_scores(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and "approach" in one
        and (one["approach"] is None or _text(one["approach"]))
        and one.get("shown") in ("own", "none", "other")
        and _count(one.get("weighed"))
        and _count(one.get("unlisted"))
        and all(name in one and _logarithm(one[name]) for name in ("log_score", "log_score_of_guessing"))
        for one in value
    )


def _logarithm(value: Any) -> bool:
    """Of a probability, or None."""
    return value is None or (is_number(value) and value <= 0)


def _share(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 1


_RUN: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("predictor", "model", "prompt", "prompt_digest", "signature_line"), (_text, "a text")),
    "at_least": (_threshold, "a short text such as 60% or 3"),
    "prompt_version": (lambda value: _text(value) or _count(value), "a version"),
    **dict.fromkeys(("limit", "questions", "answered"), (_count, "a number of 0 or more")),
    "left_out": (_counts, "numbers by reason"),
    "tasks_by_kind": (_kinds, "a list of kinds of task, each with what was shown and its accuracy"),
    "log_scores": (_log_scores, "a list of log scores, each with what was shown and its counts"),
}
"""What a report says of a run: whether a value fits, and what is wanted."""
_OPTIONAL = frozenset({"log_scores"})
"""What a run has only if probabilities were asked for."""


def _faults_of_size(qualities: list[Quality], most: Most) -> Iterator[str]:
    users, approaches = {one.user for one in qualities}, {one.approach for one in qualities}
    compared = math.comb(len(approaches), 2) * len(users)
    if len(users) > most.users:
        yield f"holds {len(users):,} users; at most {most.users:,} are taken; {most.instead}"
    if compared > most.compared:
        yield (
            f"gives {compared:,} comparisons of approaches, user by user; at most {most.compared:,} are "
            f"taken; {most.instead}"
        )
    if len(approaches) > MOST_APPROACHES:
        yield f"holds {len(approaches):,} approaches; at most {MOST_APPROACHES:,} are taken"
    seen: set[tuple[str, str]] = set()
    for one in qualities:
        if (one.user, one.approach) in seen:
            yield f"user {one.user!r} has two summaries of {one.approach!r}"
        seen.add((one.user, one.approach))
        if not 0 <= one.answered <= one.tasks or one.words < 0:
            counts = f"{one.answered} of {one.tasks} tasks, {one.words} words"
            yield f"user {one.user!r}, {one.approach!r}: {counts}"


def _faults_of_scores(results: Results) -> Iterator[str]:
    wanted = score_approaches(results.qualities, limit=results.limit, resampling=_QUICK)
    names = [one["approach"] for one in wanted]
    if [one.get("approach") for one in results.scores] != names:
        yield f"its approaches are not those of {QUALITY}, which are {', '.join(names)}, in this order"
        return
    for right, given in zip(wanted, results.scores, strict=True):
        for name in ("left_out", "reasons"):
            fits = _counts if name == "left_out" else _reasons
            if not fits(given.get(name)):
                yield f"{right['approach']}: {name} is {_short(given.get(name))}"
            del right[name]
        yield from _differences(right, given, f"{right['approach']}: ")
        yield from _faults_of_drawn(right, given, f"{right['approach']}: ")


def _faults_of_drawn(right: Mapping[str, Any], given: Mapping[str, Any], place: str) -> Iterator[str]:
    """What no draw gives: a p beyond 0 and 1, an interval without its estimate; `right` has the estimates."""
    found, over = _inner(given, "intervals"), _inner(given, "over_other")
    intervals = [(f"intervals {name}", right[name], _inner(found, name), "low", "high") for name in MEASURES]
    intervals.append(("over_other", right["over_other"]["difference"], over, "ci_low", "ci_high"))
    for name, estimate, ends, *which in intervals:
        low, high = (ends.get(one) for one in which)
        if not _holds(low, estimate, high):
            yield f"{place}{name} is {_short(low)} to {_short(high)}, which does not hold {_short(estimate)}"
    for name in ("p", "p_adjusted"):
        if is_number(over.get(name)) and not _share(over[name]):
            yield f"{place}over_other {name} is {_short(over[name])}, not a number from 0 to 1"


def _inner(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = given.get(name)
    return value if isinstance(value, dict) else {}


def _holds(low: Any, estimate: float | None, high: Any) -> bool:
    """Whether both ends lie around the estimate, or neither is there; other kinds are told elsewhere."""
    ends = [one for one in (low, high) if one is not None]
    if not all(map(is_number, ends)):
        return True
    if len(ends) < 2 or estimate is None:
        return not ends
    return bool(low - _NEAR <= estimate <= high + _NEAR)


def _reasons(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_text, value.values()))


def _differences(wanted: Any, given: Any, place: str, name: str = "") -> Iterator[str]:
    """Where `given` is not what the summaries give; `place` says where that is."""
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            if not isinstance(given, dict) or key not in given:
                yield f"{place}{key} is missing"
            else:
                yield from _differences(value, given[key], f"{place}{key} ", key)
    elif name in _DRAWN:
        if given is not None and not is_number(given):
            yield f"{place}is {_short(given)}, not a number"
    elif not _same(wanted, given):
        yield f"{place}is {_short(given)}; {QUALITY} gives {_short(wanted)}"


def _same(wanted: Any, given: Any) -> bool:
    if is_number(wanted):
        return is_number(given) and math.isclose(wanted, given, rel_tol=1e-9, abs_tol=1e-12)
    return bool(wanted == given and type(wanted) is type(given))


def _read_predictions(path: Path, results: Results, faults: Faults) -> tuple[Given, dict[Key, int]]:
    """The answers that are there, and how many tasks were asked."""
    given: Given = defaultdict(dict)
    tasks: dict[Key, set[str]] = defaultdict(set)
    lines = answered = 0
    for number, line in read_lines(path, PREDICTIONS, faults, alone=True):
        lines += 1
        try:
            key, task, right = _prediction(parse_json(line))
        except (ValueError, TypeError, KeyError):
            faults.add(PREDICTIONS, number, "is no prediction, as `users score` writes it")
            continue
        tasks[key].add(task)
        if right is not None:
            answered += 1
            before = given[key].get(task, (0, 0))
            given[key][task] = before[0] + right, before[1] + 1
    for name, count in (("questions", lines), ("answered", answered)):
        if results.run[name] != count:
            faults.add(RUN, None, f"{name} is {results.run[name]}; {PREDICTIONS} holds {count}")
    return given, {key: len(found) for key, found in tasks.items()}


def _prediction(record: Any) -> tuple[Key, str, bool | None]:
    key = (record["approach"] or "", record["user"], record["shown"])
    task, right = record["task"], record["right"]
    if not all(map(_text, (*key, task))) or not (right is None or isinstance(right, bool)):
        raise ValueError("a field is of another kind")
    # Names stand in very many lines: each is kept once.
    return (intern(key[0]), intern(key[1]), intern(key[2])), intern(task), right


def _faults_of_qualities(qualities: list[Quality], given: Given, asked: Mapping[Key, int]) -> Iterator[str]:
    for one in qualities:
        said = {"own": one.accuracy, "none": one.accuracy_none, "other": one.accuracy_other}
        for shown, approach in by_shown(one.approach).items():
            key = (approach, one.user, shown)
            rights = given.get(key, {})
            missing = [None] * (one.tasks - len(rights))
            shares = [Fraction(right, there) for right, there in rights.values()]
            share = answered_share([*shares, *missing])
            wrong = not _same(None if share is None else float(share), said[shown])
            if wrong or asked.get(key, 0) > one.tasks:
                place = f"user {one.user!r}, {one.approach!r}, {shown}"
                wanted = None if share is None else float(share)
                yield f"{place}: accuracy is {_short(said[shown])}; {PREDICTIONS} gives {_short(wanted)}"


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value)[:60]
