"""How people take part in a batch: what an admin decides, what a person agrees to and says of themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.batches.translations import require_offered, untranslated_parts
from survey_site.common.errors import ConflictError, InvalidInputError
from survey_site.common.locking import lock_row
from survey_site.survey.models import BackgroundAnswer, ConsentText, Entry, Participation, Rater
from survey_site.survey.people.ages import listed_bands
from survey_site.survey.people.background import QUESTIONS, Question, asked_questions, require_short_fields
from survey_site.survey.people.consent import ConsentWording, consent_wording, store_consent_text
from survey_site.survey.people.presence import lock_rater

MOST_INVITATIONS = 1000
_CODES = {"completed_code", "no_place_code", "partial_code", "failed_code"}


@dataclass(frozen=True, kw_only=True)
class ParticipationSettings:
    """What an admin decides.

    questions: names from `background.QUESTIONS`; fields_of_study and age_bands: one a line; panel_parameter:
    the name under which the panel's links carry a person's id; practice: whether a short practice comes
    before the first questionnaire; limit: questionnaires per person, None for as many as there are;
    partial_code: for who stops between the first and the last of them; return_address: where the panel takes
    its code, with {code} in its place. failed_code stands in for completed_code where somebody fails
    `failed_controls` controls or more; None for nobody. asks_name: whether people may say their name, panel
    members never. researchers, contact, approval, kept_for: what `study` says on the first page.
    """

    questions: Sequence[str] = ()
    fields_of_study: str = ""
    age_bands: str = ""
    entry: str = Entry.OPEN
    panel_parameter: str = "PROLIFIC_PID"
    practice: bool = False
    limit: int | None = None
    completed_code: str = ""
    no_place_code: str = ""
    partial_code: str = ""
    failed_code: str = ""
    failed_controls: int | None = None
    return_address: str = ""
    asks_name: bool = False
    researchers: str = ""
    contact: str = ""
    approval: str = ""
    kept_for: str = ""


def read_participation(batch: Batch) -> Participation:
    """The batch's settings; the defaults, not stored, where nobody changed any.

    Where they were read with the batch, as raters' pages do, they are not read again: once raters may have
    come, they stay.
    """
    is_read = Batch.participation.is_cached(batch)
    stored = getattr(batch, "participation", None) if is_read else _stored(batch)
    return stored or Participation(batch_id=batch.pk)


def _stored(batch: Batch) -> Participation | None:
    return Participation.objects.filter(batch=batch).first()


def unwritten_parts(batch: Batch, participation: Participation, language: str) -> list[str]:
    """What raters who read `language` are shown in the batch's own language, in words."""
    missing = [part.replace("_", " ") for part in untranslated_parts(batch, language)]
    if consent_wording(batch, participation, language).language != language:
        missing.append("consent text")
    return missing


def may_enter(participation: Participation, entry: str) -> bool:
    """Whether a newcomer with such a link may take part. A personal link always leads in."""
    return entry == Entry.INVITATION or participation.entry in {entry, Entry.OPEN}


def save_participation(
    *, batch: Batch, settings: ParticipationSettings, now: datetime, by: User | None = None
) -> Participation:
    """Replace the settings of a draft; once raters may have come, they stay."""
    if unknown := sorted(set(settings.questions) - set(QUESTIONS)):
        raise InvalidInputError(f"There are no questions called {', '.join(unknown)}.")
    if bool(settings.failed_code) != bool(settings.failed_controls):
        raise InvalidInputError(
            "The code for failed checks and the number of failed controls go together.",
            action="Give both, or leave both empty.",
        )
    require_short_fields(settings.fields_of_study)
    listed_bands(settings.age_bands)
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        if not batch.is_draft:
            raise ConflictError(
                f"Batch “{batch}” is launched: people already take part by its settings.",
                action="The consent text can still be changed; everything else needs a new batch.",
            )
        before = read_participation(batch)
        after, _ = Participation.objects.update_or_create(batch=batch, defaults=vars(settings))
        if changed := _describe_changes(before, after):
            _record("participation changed", batch, changed, now, by)
        return after


def limit_questionnaires(*, batch: Batch, limit: int | None, now: datetime, by: User | None = None) -> None:
    """Set how many questionnaires one person may do in a draft; all else about taking part stays."""
    before = read_participation(batch)
    if before.limit != limit:
        names = ParticipationSettings.__dataclass_fields__
        kept = {name: getattr(before, name) for name in names} | {"limit": limit}
        save_participation(batch=batch, settings=ParticipationSettings(**kept), now=now, by=by)


def _describe_changes(before: Participation, after: Participation) -> dict[str, str]:
    """What the audit log says; a panel's codes are worth money, so only that they changed."""
    names = ParticipationSettings.__dataclass_fields__
    pairs = {name: (getattr(before, name), getattr(after, name)) for name in names}
    return {
        name: "changed" if name in _CODES else f"{_written(old)} → {_written(new)}"
        for name, (old, new) in pairs.items()
        if _written(old) != _written(new)
    }


def _written(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _record(action: str, batch: Batch, detail: dict[str, Any], now: datetime, by: User | None) -> None:
    record_action(action=action, subject=batch, by=by, now=now, detail=detail)


def create_invitations(*, batch: Batch, count: int, now: datetime, by: User | None = None) -> Participation:
    """Make so many more personal links: signed numbers, of which only how many there are is stored."""
    if not 1 <= count <= MOST_INVITATIONS:
        raise InvalidInputError(f"From 1 to {MOST_INVITATIONS} links can be made at once, not {count}.")
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        if batch.is_closed:
            raise ConflictError(
                f"Batch “{batch}” is closed: a personal link would lead nobody in.",
                action="Plan a new batch and make links for it.",
            )
        participation, _ = Participation.objects.get_or_create(batch=batch)
        participation.invitations += count
        participation.save(update_fields=["invitations"])
        detail = {"made": count, "in all": participation.invitations}
        _record("personal links made", batch, detail, now, by)
        return participation


def record_links_taken(*, batch: Batch, now: datetime, by: User | None = None) -> None:
    """Write down that somebody downloads the personal links: whoever holds one is that person."""
    with transaction.atomic():
        _record("personal links exported", batch, {}, now, by)


def save_consent_text(
    *, batch: Batch, text: str, now: datetime, language: str = "", by: User | None = None
) -> ConsentText | None:
    """Make this the wording for everybody who joins from now on. The same wording again changes nothing.

    language: one that the batch offers; its main one where none is given.
    """
    text = text.strip().replace("\r\n", "\n")
    if not text:
        raise InvalidInputError("A consent text cannot be empty.", action="Say what people agree to.")
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        language = language or batch.language
        require_offered(batch, language)
        current = consent_wording(batch, read_participation(batch), language)
        if (text, language) == (current.text, current.language):
            return batch.consent_texts.filter(version=current.version, language=language).first()
        if not batch.is_draft:
            _store_what_is_read(batch, now)
        version = batch.consent_texts.filter(language=language).count() + 1
        _record("consent text changed", batch, {"version": version, "language": language}, now, by)
        return store_consent_text(batch, ConsentWording(version, text, language), now)


def _store_what_is_read(batch: Batch, now: datetime) -> None:
    """Somebody may be reading the default text at this moment, in any language, and agree to it."""
    for language in batch.languages:
        store_consent_text(batch, consent_wording(batch, read_participation(batch), language), now)


def open_questions(rater: Rater) -> tuple[Question, ...]:
    """The questions about themselves that this person has not met yet."""
    asked = asked_questions(read_participation(rater.batch))
    answered = set(rater.background.values_list("question", flat=True)) if asked else set()
    return tuple(one for one in asked if one.name not in answered)


def save_background(*, rater: Rater, answers: Mapping[str, str]) -> None:
    """Store the answers to the open questions, once; a question without an answer is one not to be said."""
    with transaction.atomic():
        rater = lock_rater(rater.pk)
        BackgroundAnswer.objects.bulk_create(
            BackgroundAnswer(rater=rater, question=one.name, choice=_checked(one, answers.get(one.name, "")))
            for one in open_questions(rater)
        )


def _checked(question: Question, choice: str) -> str:
    if choice and choice not in question.choices:
        raise InvalidInputError(
            gettext("“%(choice)s” is not one of the answers to “%(question)s”")
            % {"choice": choice[:50], "question": gettext(question.label)},
            action=gettext("Choose one of the answers on the page."),
        )
    return choice
