"""manage.py import_ratings."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from survey_site.batches.models import Batch
from tests.factories.scoring import make_scored_corpus
from tests.survey_site.uploads.examples import plain_rows, write_rows

pytestmark = pytest.mark.django_db


def run(corpus, path, *options):
    out, err = StringIO(), StringIO()
    try:
        call_command("import_ratings", str(corpus), str(path), *options, stdout=out, stderr=err)
    except CommandError as error:
        return f"{err.getvalue()}{error}"
    return out.getvalue()


def test_it_stores_a_batch_once(tmp_path):
    corpus, path = make_scored_corpus().pk, write_rows(tmp_path / "ours.csv", plain_rows())
    said = run(corpus, path, "--scale", "dissimilarity", "--raters", "1", "--question", "How far?")
    batch = Batch.objects.get()
    assert said.startswith(
        f"Stored batch {batch.pk}, 'ours': questionnaires 3, raters 2, ratings a pair needs 1."
    )
    assert (batch.scale, batch.question, batch.created_by) == ("dissimilarity", "How far?", None)
    again = run(corpus, path, "--scale", "dissimilarity", "--raters", "1", "--question", "How far?")
    assert again == f"Already there as batch {batch.pk}, 'ours': same file, nothing changed.\n"


def test_it_lists_every_fault_and_stores_nothing(tmp_path):
    rows = plain_rows()
    rows[0]["rating"] = rows[2]["rating"] = 0
    said = run(make_scored_corpus().pk, write_rows(tmp_path / "ours.csv", rows), "--scale", "similarity")
    assert said.splitlines() == [
        "ours.csv:2: rating '0' is not a whole number from 1 to 6",
        "ours.csv:4: rating '0' is not a whole number from 1 to 6",
        "Nothing was stored: 2 faults.",
    ]
    assert not Batch.objects.exists()


def test_it_says_what_is_missing(tmp_path):
    corpus, path = make_scored_corpus().pk, write_rows(tmp_path / "ours.csv", plain_rows())
    assert "--scale" in run(corpus, path)
    assert run(corpus + 1, path, "--scale", "similarity").startswith(f"There is no corpus {corpus + 1}")
    gone = tmp_path / "gone.csv"
    assert "gone.csv: cannot be read: No such file" in run(corpus, gone, "--scale", "similarity")
    assert run(corpus, path, "--scale", "similarity", "--low-label", "low") == (
        "Give the labels of both ends of the scale, or neither."
    )
