"""manage.py import_corpus: the same import as on the web page."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.studies.icopernicus.provenance import Record, provenance_place
from survey_site.common.commands import faults_error
from survey_site.common.errors import ApplicationError
from survey_site.corpus.files import (
    parse_system,
    read_file_source,
    read_generated,
    read_pens_sources,
    system_name,
    unique_systems,
)
from survey_site.corpus.services import ImportResult, import_corpus, systems_in_words
from survey_site.projects.choosing import named_project


class Command(BaseCommand):
    help = (
        "Import a corpus: a consolidated JSONL file, or PENS files (--test, --system, --news). "
        "Bad input imports nothing and lists every fault; the same content again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "jsonl",
            nargs="?",
            metavar="FILE",
            help="consolidated JSONL, one document a line; or a table, one text a row",
        )
        parser.add_argument("--test", metavar="FILE", help="PENS: personalized_test.tsv")
        parser.add_argument(
            "--system",
            action="append",
            default=[],
            metavar="NAME=FILE",
            help="PENS: one output file per system, repeatable (without NAME= the file name is the name)",
        )
        parser.add_argument("--news", metavar="FILE", help="PENS: news.tsv, for the documents' texts")
        parser.add_argument(
            "--generated",
            metavar="FILE",
            help="how systems were generated, as `generate` writes it (default: the file that ends in "
            ".llm.json beside the corpus, if there is one)",
        )
        parser.add_argument("--name", default="", help="name of the corpus (default: from the file name)")
        parser.add_argument(
            "--language", default="", metavar="TAG", help="language of the texts, such as en or ar (BCP 47)"
        )

        parser.add_argument(
            "--project", default="", help="name of the project that it is for (default: the only one)"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            corpus, source = self._read(options)
            name = options["name"] or system_name(options["jsonl"] or options["test"])
            generated = self._read_generated(options, corpus)
            now = timezone.now()
            result = import_corpus(
                corpus=corpus,
                name=name,
                source=source,
                language=options["language"],
                generated=generated,
                project=named_project(options["project"], now=now),
                now=now,
            )
        except InputError as error:
            raise faults_error(error, self.stderr, outcome="Nothing was imported") from error
        except ApplicationError as error:
            raise CommandError(error.message) from error
        else:
            self._report(result, corpus)
            if result.recorded:
                self.stdout.write(f"Recorded how {systems_in_words(result.recorded)} came about.")

    def _read(self, options: dict[str, Any]) -> tuple[Corpus, str]:
        if bool(options["jsonl"]) == bool(options["test"]):
            raise CommandError("Give either one JSONL file or --test FILE with --system NAME=FILE (PENS).")
        if options["jsonl"]:
            if options["system"] or options["news"]:
                raise CommandError("--system and --news belong to PENS files, not to a JSONL file.")
            return read_file_source(options["jsonl"], options["jsonl"])
        if not options["system"]:
            raise CommandError("Give at least one --system NAME=FILE with --test.")
        systems = unique_systems(map(parse_system, options["system"]))
        return read_pens_sources(options["test"], systems, options["news"])

    def _read_generated(self, options: dict[str, Any], corpus: Corpus) -> list[Record]:
        """From the file that was named, or that stands beside the corpus."""
        named = options["generated"]
        if not options["jsonl"]:
            if named:
                raise CommandError("--generated belongs to a JSONL file or a table, not to PENS files.")
            return []
        file = Path(named or provenance_place(Path(options["jsonl"])))
        return read_generated(str(file), file.name, corpus) if named or file.exists() else []

    def _report(self, result: ImportResult, corpus: Corpus) -> None:
        row = result.corpus
        if not result.created:
            self.stdout.write(
                f"Already there as corpus {row.pk}, {row.name!r}: same content, nothing changed."
            )
            return
        self.stdout.write(
            f"Imported corpus {row.pk}, {row.name!r}: documents {len(corpus.documents)}, "
            f"readers {len(corpus.readers)}, references {corpus.references}, systems {len(corpus.systems)}."
        )
        self.stdout.write(f"Read: {corpus.taken}.")
        for note in corpus.notes:
            self.stdout.write(f"Note: {note}.")
