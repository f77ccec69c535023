"""Rules of a batch that no single field can check."""

from collections.abc import Sequence

from django.conf import settings
from django.core.exceptions import ValidationError

from survey_site.batches.models import Batch, Translation
from survey_site.batches.states import Scale
from survey_site.batches.wording import MIDDLE_LABELS, default_wordings
from survey_site.common.errors import ConflictError
from survey_site.corpus.models import Corpus, System


def validate_labels(row: Batch | Translation, scale: str) -> None:
    """Refuse end labels that stand for the other direction: every correlation would change its sign."""
    other = Scale.DISSIMILARITY if scale == Scale.SIMILARITY else Scale.SIMILARITY
    defaults = default_wordings(other).values()
    foreign = {label.lower() for one in defaults for label in (one.low_label, one.high_label)}
    for field in ("low_label", "high_label"):
        if getattr(row, field).lower() in foreign:
            raise ValidationError(
                {field: f"This label belongs to a scale of {other}, but the direction is {scale}."}
            )


def validate_middle_labels(batch: Batch) -> None:
    """Refuse words for some of the points between the ends: all points have words or both ends."""
    missing = [part for part in MIDDLE_LABELS if not getattr(batch, part)]
    if 0 < len(missing) < len(MIDDLE_LABELS):
        message = "Give words to all of the points from 2 to 5, or to none of them."
        raise ValidationError(dict.fromkeys(missing, message))


def validate_languages(languages: Sequence[str]) -> None:
    """Refuse languages in which raters' pages do not come."""
    available = [code for code, _ in settings.LANGUAGES]
    if unknown := [code for code in languages if code not in available]:
        message = f"Raters' pages come in {', '.join(available)}, not in {', '.join(unknown)}."
        raise ValidationError({"languages": message})


def require_offered(corpus: Corpus) -> None:
    """Refuse a new plan on a corpus that nobody works with any more."""
    if corpus.archived_at:
        raise ConflictError(
            f"The corpus “{corpus}” is archived: nothing new is planned on it.",
            action="Take it out of the archive first, or choose another corpus.",
        )


def require_draft(batch: Batch) -> None:
    if not batch.is_draft:
        raise ConflictError(
            f"Batch “{batch}” is launched: raters already work with its settings.",
            action="Plan a new batch instead.",
        )


def chosen_systems(corpus: Corpus, systems: Sequence[System] | None) -> list[System]:
    """Those that were asked for, in the corpus' order; None: all. ValidationError for others and for none."""
    available = list(corpus.systems.order_by("position"))
    if not available:
        raise ValidationError({"systems": "This corpus holds no system's summaries: nothing to rate."})
    if systems is None:
        return available
    wanted = {system.pk for system in systems}
    if not wanted:
        raise ValidationError({"systems": "Choose at least one system."})
    if foreign := sorted(system.name for system in systems if system.corpus_id != corpus.pk):
        raise ValidationError({"systems": f"Not systems of this corpus: {', '.join(foreign)}."})
    return [system for system in available if system.pk in wanted]
