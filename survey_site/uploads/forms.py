"""The page that uploads ratings: it checks what is said of the file, `files` what is in it."""

from datetime import datetime
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any, cast

from django import forms

from survey_site.batches.states import Scale
from survey_site.common.uploading import too_large, upload_limit
from survey_site.corpus.models import Corpus
from survey_site.corpus.queries import load_corpus
from survey_site.projects.access import visible
from survey_site.uploads.files import RatingFile, read_rating_file
from survey_site.uploads.services import UploadSettings
from survey_site.uploads.validators import MOST_RATERS

NAMES = ("name", "scale", "raters", "question", "low_label", "high_label")
"""What is said of a file."""


class UploadForm(forms.Form):
    corpus = forms.ModelChoiceField(
        Corpus.objects.none(),
        empty_label="Choose …",
        help_text="The documents and summaries that were rated.",
    )
    file = forms.FileField(
        label="File of ratings",
        help_text="CSV, Excel or OpenDocument file with the columns doc_id, system, reader_a, reader_b, "
        "rater and rating, or the SQLite file of the papers’ survey app.",
    )
    name = forms.CharField(
        max_length=200,
        required=False,
        help_text="What the batch is called here. Left empty, it is named after its file.",
    )
    scale = forms.ChoiceField(
        label="Direction of the scale",
        choices=Scale.choices,
        widget=forms.RadioSelect,
        help_text="What raters were told. No file says it, and the wrong one turns every score around.",
    )
    raters = forms.IntegerField(
        label="Ratings that a pair needs",
        required=False,
        min_value=1,
        max_value=MOST_RATERS,
        help_text="The full number. Left empty: the most that any pair of a system has.",
    )
    question = forms.CharField(
        max_length=300,
        required=False,
        help_text="What raters were asked, word for word. Left empty: not known.",
    )
    low_label = forms.CharField(label="Label of 1", max_length=80, required=False)
    high_label = forms.CharField(label="Label of 6", max_length=80, required=False)

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        corpora = Corpus.objects.filter(archived_at=None).order_by("-created_at")
        cast("forms.ModelChoiceField[Corpus]", self.fields["corpus"]).queryset = visible(corpora, user)

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if (file.size or 0) > upload_limit():
            raise forms.ValidationError(too_large(file.size or 0, "import_ratings"))
        return file

    @property
    def file_name(self) -> str:
        return PurePath(self.cleaned_data["file"].name).name

    def read(self, *, now: datetime) -> RatingFile:
        """The checked file; raises InputError with every fault. SQLite reads only what is on disk."""
        corpus = load_corpus(self.cleaned_data["corpus"])
        with TemporaryDirectory() as folder:
            path = Path(folder) / "ratings"
            with path.open("wb") as stream:
                stream.writelines(self.cleaned_data["file"].chunks())
            return read_rating_file(path, corpus, name=self.file_name, now=now)

    def settings(self) -> UploadSettings:
        data = self.cleaned_data
        return UploadSettings(**{name: data[name] for name in NAMES})
