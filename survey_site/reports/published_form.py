"""The part of the form of a new report that takes published tables."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from meta_eval.errors import InputError
from meta_eval.report.published import KINDS, PublishedTable, read_published

MAX_BYTES = 1_000_000
_PREFIX = "published_"


class PublishedForm(forms.Form):
    """One optional file for each kind of published table; cleans to `published` and `same_systems`."""

    same_systems = forms.CharField(
        label="The same systems under other names",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line: the name here = the name in the published tables. Equal names match anyway.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind, info in KINDS.items():
            label = f"{info.title}; CSV"
            self.fields[f"{_PREFIX}{kind}"] = forms.FileField(label=label, required=False)

    @property
    def published_fields(self) -> list[forms.BoundField]:
        return [self[f"{_PREFIX}{kind}"] for kind in KINDS]

    @property
    def has_published_errors(self) -> bool:
        names = {f"{_PREFIX}{kind}" for kind in KINDS} | {"same_systems"}
        return bool(names & set(self.errors))

    def clean_same_systems(self) -> dict[str, str]:
        lines = self.cleaned_data["same_systems"].splitlines()
        pairs = [[part.strip() for part in line.split("=", 1)] for line in lines if line.strip()]
        if any(len(pair) < 2 or not all(pair) for pair in pairs):
            raise ValidationError("Write one pair a line: the name here = the name in the table.")
        return dict(pairs)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        cleaned["published"] = list(self._tables(cleaned))
        return cleaned

    def _tables(self, cleaned: dict[str, Any]) -> Iterator[PublishedTable]:
        for kind in KINDS:
            name = f"{_PREFIX}{kind}"
            file = cleaned.pop(name, None)
            if file is not None and file.size > MAX_BYTES:
                self.add_error(name, "This is larger than 1 MB; is it the right file?")
            elif file is not None:
                try:
                    yield read_published(file, kind, name=file.name)
                except InputError as error:
                    self.add_error(name, str(error))
