"""What an admin writes for raters in one language; the services decide what may change."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from survey_site.batches.models import Batch
from survey_site.batches.states import Scale
from survey_site.batches.wording import MIDDLE_LABELS, PARTS
from survey_site.common.languages import direction
from survey_site.desk.label_fields import label_fields
from survey_site.survey.pages.examples import MOST_PAIRS
from survey_site.survey.pages.practice import Example
from survey_site.survey.rating.validators import HIGHEST, LOWEST, SCALE

POINTS = [("", "–"), *((str(point), str(point)) for point in SCALE)]


def _write_in(form: forms.Form, language: str) -> None:
    """Tell browsers in which language and direction the fields are written."""
    for field in form.fields.values():
        if isinstance(field.widget, forms.Textarea | forms.TextInput):
            field.widget.attrs |= {"lang": language, "dir": direction(language)}


class TranslationForm(forms.Form):
    """The wording of the plan in a further language."""

    question = forms.CharField(max_length=300, required=False)
    low_label, label_2, label_3, label_4, label_5, high_label = label_fields()
    instructions = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 9}))

    def __init__(self, *args: Any, batch: Batch, language: str, **kwargs: Any) -> None:
        stored = batch.translations.filter(language=language).first()
        kwargs["initial"] = {part: getattr(stored, part, "") for part in PARTS}
        super().__init__(*args, **kwargs)
        for part in PARTS:
            self.fields[part].help_text = getattr(batch, part)
        for part in MIDDLE_LABELS:
            if not getattr(batch, part):
                del self.fields[part]
        _write_in(self, language)


def _point(label: str) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(label=label, choices=POINTS, coerce=int, empty_value=None, required=False)


def _text(label: str) -> forms.CharField:
    return forms.CharField(label=label, required=False, widget=forms.Textarea(attrs={"rows": 2}))


class PairForm(forms.Form):
    """One pair and how it is rated, in points of the batch's scale; all empty is no pair."""

    left = _text("Text 1")
    right = _text("Text 2")
    low = _point("Rated from")
    high = _point("to")
    why = _text("Why")

    def __init__(self, *args: Any, language: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _write_in(self, language)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if any(cleaned.values()):
            for name in [name for name, value in cleaned.items() if not value]:
                self.add_error(name, "A pair needs both texts, its rating and a reason.")
        if cleaned.get("low") and cleaned.get("high") and cleaned["low"] > cleaned["high"]:
            self.add_error("high", "This is lower than the point before it.")
        return cleaned

    @property
    def is_open(self) -> bool:
        """Whether there is something to see in it."""
        return bool(self.initial or self.errors or any(getattr(self, "cleaned_data", {}).values()))

    def example(self, scale: str) -> Example | None:
        """The pair that was entered, if one was."""
        data = self.cleaned_data
        if not data["left"]:
            return None
        return example_of(data, scale)


def _as_similarity(low: int, high: int, scale: str) -> tuple[int, int]:
    """Points of the scale as similarity, or back: turning them around twice changes nothing."""
    if scale == Scale.SIMILARITY:
        return low, high
    return LOWEST + HIGHEST - high, LOWEST + HIGHEST - low


def example_of(pair: Mapping[str, Any], scale: str) -> Example:
    """The pair whose rating is said in points of this scale."""
    low, high = _as_similarity(pair["low"], pair["high"], scale)
    return Example(pair["left"], pair["right"], low, high, pair["why"])


def in_points(one: Example, scale: str) -> dict[str, Any]:
    """The same, back: what `example_of` takes."""
    low, high = _as_similarity(one.low, one.high, scale)
    return {"left": one.left, "right": one.right, "low": low, "high": high, "why": one.why}


def pair_forms(
    use: str, language: str, scale: str, written: Sequence[Example], data: Mapping[str, Any] | None = None
) -> list[PairForm]:
    """A form for each pair that there may be, those that are written filled in."""
    initial = [in_points(one, scale) for one in written] + [{}] * (MOST_PAIRS - len(written))
    return [
        PairForm(data, prefix=f"{use}-{number}", language=language, initial=values)
        for number, values in enumerate(initial, 1)
    ]
