"""The fields by which an admin says what raters see and read."""

from typing import Any, cast

from django import forms

from survey_site.batches.states import Scale
from survey_site.batches.wording import INSTRUCTIONS, WORDING
from survey_site.common.languages import site_languages
from survey_site.desk.batches.form_parts import ServiceForm
from survey_site.desk.label_fields import label_fields

SIMILARITY, DISSIMILARITY = WORDING[Scale.SIMILARITY], WORDING[Scale.DISSIMILARITY]


def _default_hint(of_similarity: str, of_dissimilarity: str) -> str:
    return f"Left empty: “{of_similarity}” for similarity, “{of_dissimilarity}” for dissimilarity."


class WordingFields(ServiceForm):
    """What raters see and may answer, the scale, its words, and the languages that they come in."""

    document_shown = forms.BooleanField(
        label="Show the document beside the pairs",
        required=False,
        initial=True,
        help_text="The papers' raters saw pairs alone. The corpus keeps its documents either way: surrogates "
        "need them. It cannot be changed once the batch is launched.",
    )
    marks_allowed = forms.BooleanField(
        label="Raters may say that they cannot judge a pair",
        required=False,
        initial=True,
        help_text="With a reason, instead of a rating. Such a page does not count, and another rater gets "
        "it, until as many raters as each questionnaire needs could not judge the pair. It cannot be changed "
        "once the batch is launched.",
    )
    equal_pairs_once = forms.BooleanField(
        label="Show pairs of the same two texts once",
        required=False,
        help_text="Where systems wrote the same, a page asks twice about the same two texts. With this they "
        "are shown once on a page, and the answer is stored for each of these pairs. It cannot be changed "
        "once the batch is launched.",
    )
    one_typography = forms.BooleanField(
        label="Show all texts in one typography",
        required=False,
        help_text="The same spaces around punctuation, straight quotes, plain dashes, a capital at the "
        "beginning: so how a text is typed tells less of who wrote it. Measures read the texts as they are. "
        "It cannot be changed once the batch is launched.",
    )
    scale = forms.ChoiceField(
        label="Direction of the scale",
        choices=Scale.choices,
        initial=Scale.SIMILARITY,
        widget=forms.RadioSelect,
        help_text="What a 6 means. It is printed on the form and in every report: read the other way round, "
        "every correlation changes its sign.",
    )
    low_label, label_2, label_3, label_4, label_5, high_label = label_fields()
    low_label.help_text = _default_hint(SIMILARITY.low_label, DISSIMILARITY.low_label)
    high_label.help_text = _default_hint(SIMILARITY.high_label, DISSIMILARITY.high_label)
    question = forms.CharField(
        max_length=300,
        required=False,
        help_text=_default_hint(SIMILARITY.question, DISSIMILARITY.question),
    )
    instructions = forms.CharField(
        required=False,
        initial=INSTRUCTIONS,
        widget=forms.Textarea(attrs={"rows": 9}),
        help_text="Left as they are, they follow whether the document is shown. Do not say that the texts "
        "are summaries, who wrote them, or that one pair is a reference.",
    )
    language = forms.ChoiceField(
        label="Language of this wording",
        required=False,
        help_text="Raters' pages are in this language, and so is every text that you leave as it is.",
    )
    further_languages = forms.MultipleChoiceField(
        label="Raters may also choose",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Raters first see the one that their browser asks for. Write the "
        "wording in these languages under “Taking part”.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(one.code, f"{one.english_name} ({one.name})") for one in site_languages()]
        for name in ("language", "further_languages"):
            cast(forms.ChoiceField, self.fields[name]).choices = choices
