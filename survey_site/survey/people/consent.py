"""What people are told before they take part, and the wording that stands unless an admin writes another."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_noop, override

from survey_site.batches.models import Batch
from survey_site.common.languages import text_attributes
from survey_site.common.prepared import Parameter, prepared
from survey_site.survey.models import ConsentText, Entry, Participation

_ABOUT = (
    gettext_noop(
        "This is a research study. You read texts and say how much alike they are. There are no "
        "right or wrong answers and no risks beyond those of reading."
    ),
    gettext_noop(
        "We store your answers and when you gave them, under a random name. We store no network address "
        "and no e-mail address. A cookie that only this survey can read lets you come back to your answers."
    ),
)
_QUESTIONS = gettext_noop(
    "A few questions about you are optional. They are only ever shown as totals over many people."
)
_PANEL = gettext_noop(
    "Of your id in the panel we store only a keyed hash, from which the id cannot be found out."
)
_RIGHTS = (
    gettext_noop(
        "Taking part is voluntary. You can stop at any time without giving a reason. You can also "
        "withdraw: then all your answers are deleted. Statistics computed before that are not computed "
        "again."
    ),
    gettext_noop(
        "Results are published as totals and statistics; single answers may be published under the "
        "random name."
    ),
)
_REWORDED = (
    ("You read short texts and say", "You read texts and say"),
    ("قراءة نصوص قصيرة وتقدير", "قراءة نصوص وتقدير"),
)
"""What the release of 20 November 2026 said, and what this one says in its place, in each language."""


@dataclass(frozen=True)
class ConsentWording:
    """A consent text, its language, and its version in that language."""

    version: int
    text: str
    language: str

    @property
    def attributes(self) -> str:
        """`lang` and `dir` for the element that holds it."""
        return text_attributes(self.language)


def default_consent_text(participation: Participation, language: str) -> str:
    """The wording of a batch for which nobody wrote one: what is stored, and what people may do."""
    questions = (_QUESTIONS,) if participation.questions else ()
    panel = (_PANEL,) if participation.entry == Entry.PANEL else ()
    with override(language):
        return "\n\n".join(gettext(part) for part in (*_ABOUT, *panel, *questions, *_RIGHTS))


def consent_wording(batch: Batch, participation: Participation, language: str = "") -> ConsentWording:
    """The wording that newcomers who read this language are shown now; without one, the batch's language.

    What an admin wrote in the batch's language stands for all others too until it is written in them.
    """
    language = language or batch.language
    latest = _latest(batch, language)
    main = latest if language == batch.language else _latest(batch, batch.language)
    default = default_consent_text(participation, language)
    if latest and _is_written(latest.text, default):
        return latest
    if main and _is_written(main.text, default_consent_text(participation, batch.language)):
        return main
    return latest or ConsentWording(1, default, language)


def _is_written(text: str, default: str) -> bool:
    """Whether an admin wrote it. A default is stored as it was when the first person agreed to it."""
    for before, now in _REWORDED:
        text = text.replace(before, now)
    return text != default


def _latest(batch: Batch, language: str) -> ConsentWording | None:
    stored = _newest_first.first(batch=batch.pk, language=language)
    return ConsentWording(stored.version, stored.text, stored.language) if stored else None


@prepared
def _newest_first(batch: Parameter, language: Parameter) -> QuerySet[ConsentText]:
    return ConsentText.objects.filter(batch=batch, language=language).order_by("-version")[:1]


def ensure_consent_text(
    *, batch: Batch, participation: Participation, version: int, language: str, now: datetime
) -> ConsentText | None:
    """The stored text of this version; the default one is stored when the first person agrees to it."""
    of_version = ConsentText.objects.filter(batch=batch, version=version, language=language)
    if stored := of_version.first():
        return stored
    current = consent_wording(batch, participation, language)
    is_shown = (current.version, current.language) == (version, language)
    if is_shown:
        return store_consent_text(batch, current, now)
    return of_version.first()  # an admin was just faster


def store_consent_text(batch: Batch, wording: ConsentWording, now: datetime) -> ConsentText:
    """The row of a wording, made if it is not there."""
    return ConsentText.objects.get_or_create(
        batch=batch,
        language=wording.language,
        version=wording.version,
        defaults={"text": wording.text, "created_at": now},
    )[0]
