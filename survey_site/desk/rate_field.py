"""The field in which staff say what an hour of a rater's time costs."""

from django import forms


class RateField(forms.FloatField):
    """What an hour of a rater's time costs; optional, and never stored."""

    def __init__(self) -> None:
        super().__init__(
            label="Price of an hour of a rater's time",
            min_value=0,
            max_value=1e6,
            required=False,
            help_text="In any currency, for the estimate alone; it is not stored.",
        )
