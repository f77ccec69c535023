"""The form that uploads distances from outside; the library checks what is in the files."""

from typing import Any

from django import forms

from survey_site.common.archives import Chosen
from survey_site.common.uploading import too_large, upload_limit
from survey_site.corpus.forms import FilesField


class DistancesForm(forms.Form):
    name = forms.CharField(
        max_length=60,
        help_text="What the measure is called in forms and reports: small letters, digits, dots, hyphens and "
        "underscores.",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "none"}),
    )
    tables = FilesField(
        label="Files of distances",
        help_text="CSV tables with the columns first, second and distance; or one ZIP archive of the folders "
        "with three CSV files for each system.",
    )

    def clean_name(self) -> str:
        return str(self.cleaned_data["name"]).strip()

    def clean_tables(self) -> list[Any]:
        files: list[Any] = self.cleaned_data["tables"]
        size = sum(file.size or 0 for file in files)
        if size > upload_limit():
            raise forms.ValidationError(too_large(size, "import_distances"))
        return files

    @property
    def chosen(self) -> list[Chosen]:
        return [(file.name, file.file) for file in self.cleaned_data["tables"]]
