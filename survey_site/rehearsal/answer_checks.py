"""Invariants of answers: none that was acknowledged is lost, changed or out of order; all pages answered.

An answer that was sent and never acknowledged may have been stored or not. It may take effect only while the
script waited for it: one given up must not overtake one given later.
"""

from collections.abc import Iterator, Sequence

from survey_site.rehearsal.findings import Evidence, Findings, Violation
from survey_site.rehearsal.logbook import Write


def admissible_values(writes: Sequence[Write]) -> set[int | None]:
    """What may stand after these: a value no acknowledged one replaced later; None if none had to be kept."""
    acknowledged = [write for write in writes if write.acknowledged]
    values: set[int | None] = {
        write.value for write in writes if not any(write.precedes(other) for other in acknowledged)
    }
    return values if acknowledged else values | {None}


def missing_in_history(writes: Sequence[Write], history: Sequence[int]) -> Write | None:
    """An acknowledged answer for which the history has no place in the order in which answers were given.

    The same value twice in a row is one entry. Each answer is given the earliest entry that fits behind those
    of the answers before it; answers that overlap in time may share or swap.
    """
    found: list[tuple[Write, int]] = []
    for write in sorted((one for one in writes if one.acknowledged), key=lambda one: one.sent):
        start = max((place for earlier, place in found if earlier.precedes(write)), default=0)
        place = next((at for at in range(start, len(history)) if history[at] == write.value), None)
        if place is None:
            return write
        found.append((write, place))
    return None


def check_ratings(evidence: Evidence) -> Findings:
    """Each acknowledged rating is there with its last acknowledged value, and none that nobody gave."""
    for claim, item, writes in _given(evidence):
        answer = evidence.snapshot.answers.get(item)
        allowed = admissible_values(writes)
        stored = answer.value if answer else None
        detail = f"stored is {stored}, it should be {_words(allowed)}"
        yield _violation("ratings", detail, evidence, claim, item) if stored not in allowed else None


def check_history(evidence: Evidence) -> Findings:
    """The history holds the acknowledged values in their order, nothing else, and ends with what stands."""
    for claim, item, writes in _given(evidence):
        answer = evidence.snapshot.answers.get(item)
        history = answer.history if answer else ()
        detail = _history_fault(writes, history, answer.value if answer else None)
        yield _violation("history", detail, evidence, claim, item) if detail else None


def _history_fault(writes: Sequence[Write], history: tuple[int, ...], stored: int | None) -> str:
    if lost := missing_in_history(writes, history):
        return f"the acknowledged {lost.value} is missing in {list(history)}"
    sent = [write.value for write in writes]
    if foreign := sorted({value for value in history if history.count(value) > sent.count(value)}):
        return f"{foreign} in {list(history)} was given more often than it was sent"
    if history[-1:] != ((stored,) if stored is not None else ()):
        return f"{list(history)} does not end with the rating that stands, {stored}"
    return ""


def _given(evidence: Evidence) -> Iterator[tuple[str, str, list[Write]]]:
    """Claim, item and answers sent, also where the database has an answer and no script sent one."""
    sent, answers = evidence.logbook.writes, evidence.snapshot.answers
    stored = {(answer.claim, item) for item, answer in answers.items() if answer.history or answer.value}
    for claim, item in sorted(sent.keys() | stored):
        yield claim, item, sent.get((claim, item), [])


def check_returns(evidence: Evidence) -> Findings:
    """Somebody who comes back finds their answers on the page."""
    writes = evidence.logbook.writes
    for visit in evidence.logbook.returns:
        sent = {item for claim, item in writes if claim == visit.claim}
        for item in sorted(sent | visit.values.keys()):
            allowed = admissible_values(writes.get((visit.claim, item), []))
            shown = visit.values.get(item)
            detail = f"the page shows {shown}, it should be {_words(allowed)}"
            yield _violation("returns", detail, evidence, visit.claim, item) if shown not in allowed else None


def check_requests(evidence: Evidence) -> Findings:
    """No error of the server while it was up, no refusal, and nobody had to give up."""
    logbook = evidence.logbook
    for exchange in logbook.exchanges:
        excused = exchange.expected or ((exchange.status or 0) >= 500 and logbook.was_down(exchange))
        detail = f"{exchange.action} was answered with status {exchange.status}"
        yield None if excused else Violation("requests", detail, rater=logbook.labels[exchange.rater])
    for number, reason in logbook.failures:
        yield Violation("requests", f"could not go on: {reason}", rater=logbook.labels[number])


def _violation(name: str, detail: str, evidence: Evidence, claim: str, item: str) -> Violation:
    snapshot = evidence.snapshot
    where = (snapshot.questionnaire_of(claim), evidence.label(claim), snapshot.position_of(item))
    return Violation(name, detail, *where)


def _words(values: set[int | None]) -> str:
    return " or ".join(sorted("none" if value is None else str(value) for value in values))
