"""The form that uploads results, which checks how large they are; and what narrows the list."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from survey_site.common.list_filter import NEWEST, NEWEST_FIRST, ListFilter
from survey_site.common.uploading import too_large, upload_limit
from survey_site.corpus.forms import FilesField
from survey_site.projects.forms import ForProject
from survey_site.studies.files import StudyFiles
from survey_site.studies.models import MAX_NAME


class StudyFilter(ListFilter):
    searched = "Name or files"
    words = ("name", "source")
    orders = {**NEWEST_FIRST, "name": ("By name", ("name", *NEWEST))}


class StudyForm(ForProject):
    files: "MultiValueDict[str, UploadedFile[bytes]]"

    name = forms.CharField(max_length=MAX_NAME, help_text="What the study is called on this site.")
    results = FilesField(
        label="Results",
        help_text="The folder that the command “users score” wrote, as one ZIP archive; or run.json, "
        "scores.json, quality.jsonl and, if you have it, predictions.jsonl.",
    )
    labels = forms.FileField(
        label="People’s labels",
        required=False,
        help_text="A CSV table with the columns user, approach, rater and label (good or bad).",
    )
    trails = FilesField(
        label="How summaries came about",
        required=False,
        help_text="Files named trail.jsonl, which the command “users summarise” wrote.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        uploaded = [file for name in self.files for file in self.files.getlist(name)]
        size = sum(file.size or 0 for file in uploaded)
        if size > upload_limit():
            raise forms.ValidationError(too_large(size, "import_study"))
        return cleaned

    @property
    def chosen(self) -> StudyFiles:
        """What was chosen, as the service takes it."""
        data = self.cleaned_data
        labels = data["labels"]
        return StudyFiles(
            results=[(file.name, file.file) for file in data["results"]],
            labels=(labels.name, labels.file) if labels else None,
            trails=[(file.name, file.file) for file in data["trails"]],
        )
