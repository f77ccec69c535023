"""Invariants of slots: who holds which, and that no claim is lost."""

from collections import Counter, defaultdict
from datetime import timedelta

from survey_site.batches.states import AssignmentState
from survey_site.rehearsal.findings import Evidence, Findings, Violation
from survey_site.rehearsal.snapshot import Claim
from survey_site.survey.rating_rows import UNCOUNTED

HOLDING = {AssignmentState.OPEN, AssignmentState.SUBMITTED}
FINISHED = {AssignmentState.SUBMITTED, *UNCOUNTED}
SLACK = timedelta(seconds=2)  # a claim is expired by setting its end a second back


def check_cap(evidence: Evidence) -> Findings:
    """No questionnaire has more than N raters in the main analysis, or more than N places taken."""
    snapshot = evidence.snapshot
    held = Counter(claim.questionnaire for claim in snapshot.claims.values() if claim.state in HOLDING)
    for number, places in snapshot.places.items():
        analysed = len(snapshot.analysed.get(number, ()))
        worst = max(analysed, held[number])
        detail = f"{analysed} raters in the main analysis and {held[number]} places taken, {places} wanted"
        yield Violation("cap", detail, number) if worst > places else None


def check_distinct(evidence: Evidence) -> Findings:
    """No rater is twice on one questionnaire."""
    claims = evidence.snapshot.claims.values()
    for (number, rater), count in Counter((one.questionnaire, one.rater) for one in claims).items():
        code = next(one.code for one in claims if (one.questionnaire, one.rater) == (number, rater))
        detail = f"one rater has it {count} times"
        yield Violation("distinct", detail, number, evidence.label(code)) if count > 1 else None


def check_slots(evidence: Evidence) -> Findings:
    """Places are numbered 1..N, each held once, and held by open and submitted claims alone."""
    taken: dict[tuple[int, int], int] = defaultdict(int)
    for claim in evidence.snapshot.claims.values():
        if claim.slot is not None:
            taken[claim.questionnaire, claim.slot] += 1
        detail = _slot_fault(claim)
        yield Violation("slots", detail, claim.questionnaire, evidence.label(claim.code)) if detail else None
    for (number, slot), count in taken.items():
        yield Violation("slots", f"place {slot} is held {count} times", number) if count > 1 else None


def _slot_fault(claim: Claim) -> str:
    if claim.slot is None:
        return f"{claim.state}, but without a place" if claim.state in HOLDING else ""
    if claim.state not in HOLDING:
        return f"{claim.state}, but holds place {claim.slot}"
    return "" if 1 <= claim.slot <= claim.places else f"place {claim.slot} of {claim.places}"


def check_claims(evidence: Evidence) -> Findings:
    """Each claim the site handed out exists, is one rater's, has a known state, and stayed submitted."""
    snapshot, logbook = evidence.snapshot, evidence.logbook
    for code in logbook.claims.keys() | snapshot.claims.keys():
        detail = _claim_fault(evidence, code)
        number, label = snapshot.questionnaire_of(code), evidence.label(code)
        yield Violation("claims", detail, number, label) if detail else None
    for number, label in logbook.labels.items():
        people = {
            snapshot.claims[code].rater for code in logbook.claims_of(number) if code in snapshot.claims
        }
        detail = f"the site took one person for {len(people)} raters"
        yield Violation("claims", detail, rater=label) if len(people) > 1 else None


def _claim_fault(evidence: Evidence, code: str) -> str:
    claim, logbook = evidence.snapshot.claims.get(code), evidence.logbook
    if claim is None:
        return f"claim {code} was handed out and is lost"
    if code not in logbook.claims:
        return f"claim {code} ({claim.state}) was handed to nobody{_what_is_known_of(claim, evidence)}"
    if len(logbook.claims[code]) > 1:
        return f"claim {code} was handed to several people"
    if claim.state not in AssignmentState.values:
        return f"claim {code} is in the unknown state {claim.state!r}"
    if code in logbook.submitted and claim.state not in FINISHED:
        return f"claim {code} was acknowledged as submitted and is {claim.state}"
    return ""


def _what_is_known_of(claim: Claim, evidence: Evidence) -> str:
    """Whose it must be, by other claims of the same rater, and how many of their starts had no answer.

    A site that is killed between storing a claim and saying so tells nobody until they open the survey again,
    as everybody does in the end.
    """
    logbook, claims = evidence.logbook, evidence.snapshot.claims
    theirs = [code for code in logbook.claims if code in claims and claims[code].rater == claim.rater]
    if not theirs:
        return ", who was handed no other"
    numbers = {number for code in theirs for number in logbook.claims[code]}
    starts = [one for one in logbook.exchanges if one.rater in numbers and one.action == "start"]
    unanswered = sum(one.status is None for one in starts)
    whose = f"; {evidence.label(theirs[0])} was handed {len(theirs)} more"
    return f"{whose}, and {unanswered} of their {len(starts)} starts had no answer"


def check_surplus(evidence: Evidence) -> Findings:
    """A late submission became surplus only where N others could hold the places at that moment."""
    claims = evidence.snapshot.claims.values()
    for claim in claims:
        if claim.state != AssignmentState.SURPLUS:
            continue
        others = [one for one in claims if one.questionnaire == claim.questionnaire and one is not claim]
        rivals = sum(_could_hold(one, claim, evidence) for one in others)
        detail = f"surplus although at most {rivals} of {claim.places} places were taken"
        where = (claim.questionnaire, evidence.label(claim.code))
        yield Violation("surplus", detail, *where) if rivals < claim.places else None


def _could_hold(other: Claim, late: Claim, evidence: Evidence) -> bool:
    """The other may have held a place when the late one was submitted.

    That was decided before its rater was told, so a claim from after that did not count.
    """
    told = evidence.logbook.submitted.get(late.code)
    if told and other.claimed_at > told:
        return False
    submitted = late.submitted_at
    return other.state in HOLDING or submitted is None or other.expires_at >= submitted - SLACK
