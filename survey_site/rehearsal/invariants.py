"""All invariants by name, and running them."""

from collections.abc import Mapping
from dataclasses import dataclass

from survey_site.rehearsal.answer_checks import check_history, check_ratings, check_requests, check_returns
from survey_site.rehearsal.findings import Check, Evidence, Violation
from survey_site.rehearsal.slot_checks import (
    check_cap,
    check_claims,
    check_distinct,
    check_slots,
    check_surplus,
)

INVARIANTS: Mapping[str, Check] = {
    "cap": check_cap,
    "distinct": check_distinct,
    "slots": check_slots,
    "claims": check_claims,
    "surplus": check_surplus,
    "ratings": check_ratings,
    "history": check_history,
    "returns": check_returns,
    "requests": check_requests,
}


@dataclass(frozen=True)
class Verdict:
    """checked: how many questionnaires, claims, items or requests each invariant was held against."""

    checked: Mapping[str, int]
    violations: tuple[Violation, ...]


MAY_BE_IDLE = {"surplus"}


def check_invariants(evidence: Evidence) -> Verdict:
    """Hold all of them against the evidence. One that found nothing to look at has not held."""
    findings = {name: list(check(evidence)) for name, check in INVARIANTS.items()}
    violations = [one for found in findings.values() for one in found if one]
    idle = [name for name, found in findings.items() if not found and name not in MAY_BE_IDLE]
    return Verdict(
        checked={name: len(found) for name, found in findings.items()},
        violations=(*violations, *(Violation(name, "there was nothing to check") for name in idle)),
    )
