"""The wording of a batch in every language that it offers.

What nobody wrote differently comes in each language by itself. What an admin wrote is shown in the language
it was written in until they write it in the other one too: no rater is ever asked something else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch, Translation
from survey_site.batches.validators import require_draft, validate_labels
from survey_site.batches.wording import LABELS, MIDDLE_LABELS, PARTS, ours_in
from survey_site.common.errors import NotFoundError
from survey_site.common.languages import Text
from survey_site.common.languages import language as named
from survey_site.common.locking import lock_row


@dataclass(frozen=True)
class ShownWording:
    """The words of a questionnaire as a rater reads them, each with its language."""

    question: Text
    low_label: Text
    label_2: Text
    label_3: Text
    label_4: Text
    label_5: Text
    high_label: Text
    instructions: Text

    @property
    def points_worded(self) -> bool:
        """Whether the points between the ends have words, too."""
        return all(getattr(self, part).words for part in MIDDLE_LABELS)

    @property
    def points(self) -> list[tuple[int, Text]]:
        """Each point of the scale, from 1, with its words, which may be empty between the ends."""
        return [(point, getattr(self, part)) for point, part in enumerate(LABELS, 1)]


def shown_wording(batch: Batch, language: str) -> ShownWording:
    """What a rater who reads `language` is shown."""
    if language == batch.language:
        return ShownWording(**{part: Text(getattr(batch, part), language) for part in PARTS})
    written = batch.translations.filter(language=language).first()
    return ShownWording(
        **{
            part: _shown(
                Text(getattr(batch, part), batch.language), Text(getattr(written, part, ""), language)
            )
            for part in PARTS
        }
    )


def _shown(main: Text, translated: Text) -> Text:
    """What was written in the language, else ours in it where the words are ours, else the main text."""
    if not main.words:
        return Text("", translated.language)
    if translated.words:
        return translated
    ours = ours_in(main.words, translated.language)
    return Text(ours, translated.language) if ours else main


def untranslated_parts(batch: Batch, language: str) -> list[str]:
    """What raters who read `language` are shown in the batch's language instead."""
    shown = vars(shown_wording(batch, language))
    return [part for part, text in shown.items() if text.words and text.language != language]


def save_translation(
    *, batch: Batch, language: str, wording: Mapping[str, str], now: datetime, by: User | None = None
) -> Translation:
    """Keep the words of a draft in a further language; empty ones are not written in it."""
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        require_draft(batch)
        require_offered(batch, language)
        row = Translation.objects.filter(batch=batch, language=language).first()
        row = row or Translation(batch=batch, language=language)
        written = {part: wording.get(part, "").strip().replace("\r\n", "\n") for part in PARTS}
        changed = [part for part in PARTS if getattr(row, part) != written[part]]
        for part in changed:
            setattr(row, part, written[part])
        row.clean_fields()
        validate_labels(row, batch.scale)
        row.save()
        if changed:
            detail = {"language": language, "parts": ", ".join(changed)}
            record_action(action="wording changed", subject=batch, by=by, now=now, detail=detail)
        return row


def require_offered(batch: Batch, language: str) -> None:
    if language not in batch.languages:
        offered = ", ".join(named(code).english_name for code in batch.languages)
        raise NotFoundError(
            f"Batch “{batch}” is not offered in this language.",
            action=f"It is offered in: {offered}. A draft's languages are on its planning page.",
        )
