"""What an admin enters about taking part; the services decide what may change."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.validators import RegexValidator

from survey_site.common.errors import InvalidInputError
from survey_site.common.languages import direction
from survey_site.survey.models import MAX_CHOICE, MAX_FACT, Entry, Participation
from survey_site.survey.people.ages import DEFAULT_BANDS, listed_bands
from survey_site.survey.people.background import QUESTIONS, require_short_fields
from survey_site.survey.people.participation import MOST_INVITATIONS, ParticipationSettings
from survey_site.survey.people.study import FACTS


class ParticipationForm(forms.Form):
    entry = forms.ChoiceField(
        label="Who may take part", choices=Entry.choices, widget=forms.RadioSelect, initial=Entry.OPEN
    )
    panel_parameter = forms.CharField(
        label="Name of the person's id in the panel's links",
        max_length=50,
        validators=[RegexValidator(r"^[\w.-]+$", "Letters, digits, dots, hyphens and underscores only.")],
        help_text="Prolific: PROLIFIC_PID. The id is stored as a keyed hash only. Whatever else the links "
        "carry, such as STUDY_ID and SESSION_ID, is dropped.",
    )
    researchers = forms.CharField(
        label=FACTS["researchers"],
        max_length=MAX_FACT,
        required=False,
        help_text="People and institution. This and the next three stand on the first page.",
    )
    contact = forms.CharField(
        label=FACTS["contact"],
        max_length=MAX_FACT,
        required=False,
        help_text="Where people turn with questions: an e-mail address or a web page becomes a link.",
    )
    approval = forms.CharField(
        label=FACTS["approval"],
        max_length=MAX_FACT,
        required=False,
        help_text="Of the ethics board, with its name; or why none was needed.",
    )
    kept_for = forms.CharField(
        label=FACTS["kept_for"],
        max_length=MAX_FACT,
        required=False,
        help_text="For example: “Ten years, then they are deleted.”",
    )
    asks_name = forms.BooleanField(
        label="Ask people for their name",
        required=False,
        help_text="They may leave it empty; it is never part of the results. Panel members are never asked: "
        "panels do not allow it.",
    )
    practice = forms.BooleanField(
        label="A short practice before the first questionnaire",
        required=False,
        help_text="Three pairs with feedback, which can be skipped. Nothing of it is stored.",
    )
    limit = forms.IntegerField(
        label="Most questionnaires per person",
        min_value=1,
        max_value=32_767,
        required=False,
        help_text="Left empty: until they stop or nothing is left.",
    )
    completed_code = forms.CharField(
        label="Code for completed",
        max_length=100,
        required=False,
        help_text="Shown to panel members once their answers are stored: at the limit, or without one after "
        "the first questionnaire.",
    )
    no_place_code = forms.CharField(
        label="Code for no place left",
        max_length=100,
        required=False,
        help_text="Shown to panel members who come too late, before they start.",
    )
    partial_code = forms.CharField(
        label="Code for stopped early",
        max_length=100,
        required=False,
        help_text="Shown to panel members who submitted a questionnaire and then stop before the limit. Left "
        "empty: they are asked to return their submission on the panel.",
    )
    failed_code = forms.CharField(
        label="Code for failed checks",
        max_length=100,
        required=False,
        help_text="Shown in place of the code for completed to people who fail as many "
        "controls as you say below. Their ratings are kept, and count until you "
        "exclude them.",
    )
    failed_controls = forms.IntegerField(
        label="Failed controls until the code for failed checks",
        min_value=1,
        max_value=32_767,
        required=False,
        help_text="Counted over all that somebody completed. The help for admins says "
        "which ratings fail. Left empty: everybody gets the code for completed. The batch needs "
        "control pairs in its plan.",
    )
    return_address = forms.CharField(
        label="The panel's address for codes",
        max_length=300,
        required=False,
        validators=[RegexValidator(r"^https://\S*\{code\}\S*$", "An https:// address with {code} in it.")],
        help_text="For example https://app.prolific.com/submissions/complete?cc={code}",
    )
    questions = forms.MultipleChoiceField(
        label="Questions about the person",
        choices=[(one.name, one.label) for one in QUESTIONS.values()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Each is asked once and can be left open. You see totals only, never one person's answer.",
    )
    fields_of_study = forms.CharField(
        label="Fields of study to choose from",
        widget=forms.Textarea(attrs={"rows": 4}),
        required=False,
        help_text=f"One a line, up to {MAX_CHOICE} characters each. Left empty: a list of ten broad fields.",
    )

    age_bands = forms.CharField(
        label="Bands of age to choose from",
        widget=forms.Textarea(attrs={"rows": 4}),
        required=False,
        help_text="One a line, from young to old and without a gap: “under 20”, “20 to 29”, “30 or older”. "
        f"Left empty: {', '.join(DEFAULT_BANDS)}. “Prefer not to say” is always there. They can be changed "
        "until the launch, before anybody can answer.",
    )

    def clean_age_bands(self) -> str:
        text = str(self.cleaned_data["age_bands"])
        try:
            listed_bands(text)
        except InvalidInputError as error:
            raise forms.ValidationError(f"{error.message} {error.action}") from error
        return text

    def clean_fields_of_study(self) -> str:
        text = str(self.cleaned_data["fields_of_study"])
        try:
            require_short_fields(text)
        except InvalidInputError as error:
            raise forms.ValidationError(error.message) from error
        return text

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if bool(cleaned.get("failed_code")) != bool(cleaned.get("failed_controls")):
            self.add_error("failed_controls", "Give both the code and the number, or leave both empty.")
        return cleaned

    def settings(self) -> ParticipationSettings:
        return ParticipationSettings(**self.cleaned_data)


@dataclass(frozen=True)
class Card:
    """Some fields of the settings under one title. for_panels: whether they mean nothing without a panel."""

    name: str
    title: str
    text: str
    fields: tuple[str, ...]
    for_panels: bool = False


CARDS = (
    Card("who", "Who", "Who may take part, and how much.", ("entry", "panel_parameter", "limit")),
    Card(
        "before",
        "Before they start",
        "What the first page says, and what comes before the first questionnaire.",
        (
            *("researchers", "contact", "approval", "kept_for", "asks_name", "practice"),
            *("questions", "fields_of_study", "age_bands"),
        ),
    ),
    Card(
        "codes",
        "Codes",
        "What panel members take back to the panel, so that they are paid.",
        (
            *("completed_code", "no_place_code", "partial_code", "failed_code", "failed_controls"),
            "return_address",
        ),
        for_panels=True,
    ),
)
FOR_PANELS = {"panel_parameter"}
"""Fields of other cards that mean nothing without a panel."""


class InvitationForm(forms.Form):
    count = forms.IntegerField(label="How many more", min_value=1, max_value=MOST_INVITATIONS, initial=20)


class ConsentForm(forms.Form):
    language = forms.CharField(required=False, widget=forms.HiddenInput)
    text = forms.CharField(
        label="What people agree to",
        widget=forms.Textarea(attrs={"rows": 12}),
        help_text="People read this before anything is stored. A change is a new version for those who come "
        "later; people who have already agreed keep the version they read.",
    )

    def __init__(self, *args: Any, language: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["language"].initial = language
        self.fields["text"].widget.attrs |= {"lang": language, "dir": direction(language)}


def initial_settings(participation: Participation) -> dict[str, Any]:
    return {name: getattr(participation, name) for name in ParticipationForm.base_fields}
