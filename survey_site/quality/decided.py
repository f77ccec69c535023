"""Raters as they were found, and what admins have decided on them since: that is read anew for every page."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from survey_site.batches.models import Batch
from survey_site.quality.checks import awaits_decision, counts_for_nothing
from survey_site.quality.findings import Findings, FoundRater
from survey_site.quality.models import Exclusion


@dataclass(frozen=True)
class DecidedRater:
    """excluded: how many of the rater's submitted pages do not count."""

    found: FoundRater
    excluded: int

    @property
    def code(self) -> str:
        return self.found.code

    @property
    def is_excluded(self) -> bool:
        return counts_for_nothing(excluded=self.excluded, submitted=self.found.submitted)

    @property
    def awaits_decision(self) -> bool:
        return awaits_decision(self.found.flags, is_excluded=self.is_excluded)


def decide_on(batch: Batch, findings: Findings) -> list[DecidedRater]:
    """All raters that were found, in the same order, by the exclusions as they are now."""
    whole = Exclusion.objects.filter(rater__batch=batch).values_list("rater__code", flat=True)
    single = Exclusion.objects.filter(assignment__rater__batch=batch)
    everything = set(whole)
    pages = Counter(single.values_list("assignment__rater__code", flat=True))
    return [
        DecidedRater(one, one.submitted if one.code in everything else pages[one.code])
        for one in findings.raters
    ]


def to_decide_on(raters: Iterable[DecidedRater]) -> list[DecidedRater]:
    """The flagged ones on whom nobody has decided."""
    return [one for one in raters if one.awaits_decision]
