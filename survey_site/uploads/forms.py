"""The page that uploads ratings: it checks what is said of the file, `files` what is in it."""

from datetime import datetime
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any, cast

from django import forms

from meta_eval.errors import InputError
from meta_eval.ratings.exports import Taking
from survey_site.batches.states import Scale
from survey_site.common.uploading import too_large, upload_limit
from survey_site.corpus.models import Corpus
from survey_site.corpus.queries import load_corpus
from survey_site.projects.access import listed
from survey_site.uploads.files import RatingFile, read_rating_file
from survey_site.uploads.services import UploadSettings
from survey_site.uploads.tools import Export, Tool, named_pairs, read_export
from survey_site.uploads.validators import MOST_RATERS

LARGEST_TEXT = 20_000
NAMES = ("name", "scale", "raters", "question", "low_label", "high_label")
"""What is said of a file."""
OF_TOOLS = ("tool", "items", "id_key", "asked", "fields_of_items", "numbers")
"""What is said of an annotation tool's export."""
NO_TABLES = (".json", ".jsonl", ".zip")


class UploadForm(forms.Form):
    corpus = forms.ModelChoiceField(
        Corpus.objects.none(),
        empty_label="Choose …",
        help_text="The documents and summaries that were rated.",
    )
    file = forms.FileField(
        label="File of ratings",
        help_text="CSV, Parquet, Excel or OpenDocument file with the columns doc_id, system, reader_a, "
        "reader_b, rater and rating, the SQLite file of the papers’ survey app, or the export of an "
        "annotation tool.",
    )
    tool = forms.ChoiceField(
        label="What wrote it",
        choices=Tool.choices,
        initial=Tool.TABLE,
        required=False,
        widget=forms.RadioSelect,
    )
    items = forms.FileField(
        label="Potato’s file of items",
        required=False,
        help_text="JSON, JSON Lines, CSV or TSV, as Potato was given it; its output has their ids alone.",
    )
    id_key = forms.CharField(
        label="Field of an item that is its id",
        max_length=100,
        required=False,
        help_text="Left empty: id.",
    )
    asked = forms.CharField(
        label="Name of the question that counts",
        max_length=200,
        required=False,
        help_text="The control of Label Studio, the scheme of Potato. Left empty: the only one.",
    )
    fields_of_items = forms.CharField(
        label="Fields of an item",
        max_length=LARGEST_TEXT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Where doc_id, system, reader_a or reader_b is called otherwise, one a line: doc_id = text",
    )
    numbers = forms.CharField(
        label="Numbers of answers in words",
        max_length=LARGEST_TEXT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line: Very similar = 6",
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
        cast("forms.ModelChoiceField[Corpus]", self.fields["corpus"]).queryset = listed(
            corpora, user, self["corpus"].value() or ""
        )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if (file.size or 0) > upload_limit():
            raise forms.ValidationError(too_large(file.size or 0, "import_ratings"))
        return file

    def clean_tool(self) -> Tool:
        return Tool(self.cleaned_data["tool"] or Tool.TABLE)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        name = cleaned["file"].name if cleaned.get("file") else ""
        if cleaned.get("tool") == Tool.TABLE and PurePath(name).suffix.lower() in NO_TABLES:
            self.add_error(
                "tool", "Say which tool wrote it: a table is a CSV, Parquet, Excel or OpenDocument file."
            )
        try:
            self._taking = Taking(
                fields=named_pairs(cleaned.get("fields_of_items", "").splitlines()),
                question=cleaned.get("asked") or None,
                numbers=named_pairs(cleaned.get("numbers", "").splitlines()),
            )
        except InputError as error:
            self.add_error(None, f"{error}.")
        if cleaned.get("tool") == Tool.POTATO and not cleaned.get("items") and "items" not in self.errors:
            self.add_error("items", "Choose it too: Potato’s output does not hold the fields of items.")
        return cleaned

    @property
    def is_of_tool(self) -> bool:
        """Whether the part about annotation tools stands open."""
        told = (self["tool"].value() or Tool.TABLE) != Tool.TABLE
        return told or any(name in self.errors for name in OF_TOOLS)

    @property
    def file_name(self) -> str:
        return PurePath(self.cleaned_data["file"].name).name

    def read(self, *, now: datetime) -> RatingFile:
        """The checked file; raises InputError with every fault. SQLite reads only what is on disk."""
        data, corpus = self.cleaned_data, load_corpus(self.cleaned_data["corpus"])
        if data["tool"] != Tool.TABLE:
            export = Export(tool=data["tool"], taking=self._taking, id_key=data["id_key"] or "id")
            items = (PurePath(data["items"].name).name, data["items"]) if data["items"] else None
            return read_export(export, (self.file_name, data["file"]), corpus, items=items, now=now)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "ratings"
            with path.open("wb") as stream:
                stream.writelines(self.cleaned_data["file"].chunks())
            return read_rating_file(path, corpus, name=self.file_name, now=now)

    def settings(self) -> UploadSettings:
        data = self.cleaned_data
        return UploadSettings(**{name: data[name] for name in NAMES})
