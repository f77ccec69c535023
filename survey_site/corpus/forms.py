"""The upload page's form: it checks which files are there; the library checks what is in them."""

from pathlib import PurePath
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.db import models
from django.utils.datastructures import MultiValueDict

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.records import is_language_tag
from meta_eval.studies.icopernicus.provenance import Record
from survey_site.common.errors import InvalidInputError
from survey_site.common.list_filter import NEWEST, NEWEST_FIRST, ListFilter
from survey_site.common.uploading import too_large, upload_limit
from survey_site.corpus.files import (
    pair_systems,
    read_file_source,
    read_generated,
    read_pens_sources,
    system_name,
)
from survey_site.corpus.validators import MAX_LANGUAGE, MAX_NAME, NO_LANGUAGE_TAG
from survey_site.projects.forms import ForProject


class Format(models.TextChoices):
    JSONL = "jsonl", "One file: JSONL or a table"
    PENS = "pens", "PENS: a file for each system"


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files in one field; its value is a list."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list["UploadedFile[bytes]"]:
        files = data if isinstance(data, list | tuple) else [data]
        return [super(FilesField, self).clean(file, initial) for file in files if file]


class CorpusFilter(ListFilter):
    """What narrows and orders the list of corpora."""

    searched = "Name or source"
    words = ("name", "source")
    orders = {**NEWEST_FIRST, "name": ("By name", ("name", *NEWEST))}


class CorpusUploadForm(ForProject):
    files: "MultiValueDict[str, UploadedFile[bytes]]"

    name = forms.CharField(
        max_length=MAX_NAME,
        required=False,
        help_text="What the corpus is called on this site. Leave it empty to use the name of the file.",
    )
    language = forms.CharField(
        label="Language of the texts",
        max_length=MAX_LANGUAGE,
        required=False,
        help_text="A tag such as en or ar. Measures split texts into words by it, and "
        "screen readers choose their voice by it. Documents may name their own "
        "as lang. If you do not know, leave it empty.",
    )
    format = forms.ChoiceField(choices=Format.choices, initial=Format.JSONL, widget=forms.RadioSelect)
    jsonl = forms.FileField(
        label="JSONL file, or a table",
        required=False,
        help_text="JSONL has one document a line, with the texts of all systems. A table (CSV, Parquet, "
        "Excel, OpenDocument) has one text a row. Its columns are doc_id, reader, system and text, and if "
        "you have them doc_summ, doc_text and lang.",
    )
    generated = forms.FileField(
        label="How systems were generated",
        required=False,
        help_text="The .llm.json file that the command generate wrote beside its corpus. The page of the "
        "corpus then says which prompts and settings each system’s texts came from. You can also add it "
        "later, with the same corpus again.",
    )
    test = forms.FileField(
        label="Test file", required=False, help_text="personalized_test.tsv: readers and their references."
    )
    systems = FilesField(
        label="Output files of the systems",
        required=False,
        help_text="One file per system, one line per non-empty reference, in the order of the test file.",
    )
    system_names = forms.CharField(
        label="Names of the systems",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="One NAME=FILE a line. A file without a line is named after itself: hyps_NAML.txt is NAML.",
    )
    news = forms.FileField(
        label="News file",
        required=False,
        help_text="news.tsv: titles and bodies. Without it only scores without document texts are possible.",
    )

    def clean_language(self) -> str:
        language = str(self.cleaned_data["language"]).strip()
        if not is_language_tag(language):
            raise forms.ValidationError(NO_LANGUAGE_TAG)
        return language

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self._check_size()
        if cleaned.get("format") == Format.JSONL and not cleaned.get("jsonl"):
            self.add_error("jsonl", "Choose the JSONL file or the table.")
        if cleaned.get("format") == Format.PENS:
            self._check_pens(cleaned)
        return cleaned

    def read(self) -> tuple[Corpus, str, list[Record]]:
        """The uploaded corpus, where it came from, and how systems were generated, where that is told.

        Raises InputError with every fault.
        """
        data = self.cleaned_data
        if data["format"] == Format.PENS:
            return *read_pens_sources(data["test"], data["system_files"], data["news"]), []
        corpus, source = read_file_source(data["jsonl"], data["jsonl"].name)
        file = data["generated"]
        return corpus, source, read_generated(file, file.name, corpus) if file else []

    @property
    def corpus_name(self) -> str:
        data = self.cleaned_data
        main = data["jsonl"] if data["format"] == Format.JSONL else data["test"]
        return data["name"] or system_name(main.name)

    def _check_size(self) -> None:
        uploaded = [file for name in self.files for file in self.files.getlist(name)]
        size = sum(file.size or 0 for file in uploaded)
        if size > upload_limit():
            raise forms.ValidationError(too_large(size, "import_corpus"))

    def _check_pens(self, cleaned: dict[str, Any]) -> None:
        if not cleaned.get("test"):
            self.add_error("test", "Choose the test file.")
        if not cleaned.get("systems"):
            self.add_error("systems", "Choose at least one output file.")
            return
        files = {PurePath(file.name).name: file for file in cleaned["systems"]}
        lines = [line for line in cleaned.get("system_names", "").splitlines() if line.strip()]
        try:
            names = pair_systems(lines, [PurePath(file.name).name for file in cleaned["systems"]])
        except InvalidInputError as error:
            self.add_error("system_names", error.message)
        else:
            cleaned["system_files"] = {name: files[file] for name, file in names.items()}
