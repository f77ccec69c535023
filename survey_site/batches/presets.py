"""The surveys of the papers, each a whole design: what a plan begins with that is to repeat one of them.

A preset holds what its paper says; `silent` says what the paper leaves open and what stands there instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from survey_site.batches.effort import count_parts, pairs_among, suitable_documents
from survey_site.batches.states import Scale
from survey_site.batches.wording import LOW_SIMILARITY, THESIS_LABELS, WORDING
from survey_site.corpus.models import Corpus, System

PROPOSED_COMPLETIONS = 200
"""Completed questionnaires that a plan begins with: a survey of a few days, never the whole of a corpus."""


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A design. systems: how many the paper rated, the first of a corpus that has more; documents: how many
    the paper had, None where it does not say: then as many as `completions` completed questionnaires make.
    readers: all pairs among so many; None for `reader_pairs` of any. limit: questionnaires per person.
    """

    title: str
    source: str
    sets: str
    silent: str
    systems: int
    documents: int | None = None
    completions: int = PROPOSED_COMPLETIONS
    reader_pairs: int = 1
    readers: int | None = None
    systems_per_questionnaire: int
    raters: int
    parts_together: bool = False
    document_shown: bool = False
    scale: str = Scale.SIMILARITY
    labels: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = 1


_PAPERS_ENDS = {"low_label": LOW_SIMILARITY, "high_label": WORDING[Scale.SIMILARITY].high_label}

PRESETS: Mapping[str, Preset] = {
    "perseval": Preset(
        title="PerSEval",
        source="Dasgupta et al. 2024, section 7.1 and appendix D",
        sets="10 systems in two questionnaires of 5 and gold, handed out one after the other so that two "
        "consecutive people rate all ten; one pair of readers a document; 2 raters; 1 is low, 6 very high "
        "similarity; pairs alone.",
        silent="It had 169 participants and does not say how many documents: as many as 169 people fill, one "
        "questionnaire each.",
        systems=10,
        completions=169,
        systems_per_questionnaire=5,
        raters=2,
        parts_together=True,
        labels=_PAPERS_ENDS,
    ),
    "icopernicus": Preset(
        title="iCOPERNICUS",
        source="Patel et al. 2024, appendix E.2",
        sets="113 documents, three readers of each and all three pairs among them (339 questionnaires); 9 "
        "systems (3 models, 3 prompt styles) and gold on one page; 1 rater; 1 is low, 6 very high "
        "similarity; pairs alone.",
        silent="It counts 339 responses and does not say how many one person gave: one each.",
        systems=9,
        documents=113,
        readers=3,
        systems_per_questionnaire=9,
        raters=1,
        labels=_PAPERS_ENDS,
    ),
    "thesis": Preset(
        title="EGISES thesis",
        source="Vansh 2023, chapter 7 and figure 7.4",
        sets="6 pairs on a page (5 systems and gold); dissimilarity, all six points in words from very "
        "similar to very dissimilar; pairs alone.",
        silent="It does not say how many documents, reader pairs, raters and questionnaires a person: one "
        f"reader pair, 2 raters, one questionnaire each, about {PROPOSED_COMPLETIONS} in all.",
        systems=5,
        systems_per_questionnaire=5,
        raters=2,
        scale=Scale.DISSIMILARITY,
        labels=THESIS_LABELS,
    ),
}
"""By the name in an address (protocol 6); anything between them is possible."""

_AS_THEY_ARE = (
    "readers",
    "systems_per_questionnaire",
    "raters",
    "parts_together",
    "document_shown",
    "scale",
    "limit",
)


def preset_values(preset: Preset, corpus: Corpus) -> dict[str, Any]:
    """What the planning form begins with on this corpus; fewer systems or documents where it has fewer."""
    systems = list(corpus.systems.order_by("position")[: preset.systems])
    pairs = pairs_among(preset.readers) if preset.readers else preset.reader_pairs
    return {
        **{name: getattr(preset, name) for name in _AS_THEY_ARE},
        **preset.labels,
        "systems": systems,
        "reader_pairs": pairs,
        "documents": _count_documents(preset, corpus, systems, pairs),
    }


def _count_documents(preset: Preset, corpus: Corpus, systems: Sequence[System], pairs: int) -> int:
    suitable = len(suitable_documents(corpus, systems, pairs))
    if preset.documents:
        return max(1, min(preset.documents, suitable))
    parts = count_parts(len(systems), preset.systems_per_questionnaire)
    return propose_documents(
        suitable, questionnaires=pairs * parts, raters=preset.raters, completions=preset.completions
    )


def propose_documents(
    suitable: int, *, questionnaires: int, raters: int, completions: int = PROPOSED_COMPLETIONS
) -> int:
    """How many documents make so many completed questionnaires; no more than suit, and at least one.

    questionnaires: of each document.
    """
    return max(1, min(suitable, completions // max(1, questionnaires * raters)))
