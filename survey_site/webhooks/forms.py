"""The form of an endpoint."""

from django import forms

from survey_site.webhooks.models import CHOSEN, MOST_LETTERS


class EndpointForm(forms.Form):
    address = forms.CharField(
        max_length=MOST_LETTERS,
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/concord"}),
        help_text="Where your program listens: a public https address.",
    )
    events = forms.MultipleChoiceField(
        label="What it is told of", choices=CHOSEN, widget=forms.CheckboxSelectMultiple
    )
