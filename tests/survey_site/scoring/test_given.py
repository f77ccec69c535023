"""Distances from outside: uploaded for a corpus, a measure of its runs, and removed."""

import html
import io
import re
import zipfile

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from meta_eval.distances.given import pairs_to_compare
from meta_eval.errors import InputError, MeasureError
from meta_eval.measures import make_measure, measure_ids
from survey_site.accounts.models import AuditEntry
from survey_site.common import archives
from survey_site.common.errors import ConflictError, NotFoundError
from survey_site.corpus.queries import load_corpus
from survey_site.keeping.deleting import asked_name, delete_thing
from survey_site.keeping.dependents import fingerprint
from survey_site.reports.forms import ReportForm
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.given import services as given_services
from survey_site.scoring.given.measures import books_of, offered_hashes, with_given
from survey_site.scoring.given.services import import_distances, remove_distances
from survey_site.scoring.models import GivenDistances
from survey_site.scoring.services import execute_run, request_automatic
from tests.factories.accounts import make_user
from tests.factories.batches import NOW
from tests.factories.given import distances_archive, distances_table
from tests.factories.reports import make_report
from tests.factories.scoring import make_scored_corpus

pytestmark = pytest.mark.django_db
HEAD = b"first,second,distance\n"


def text_of(response):
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split()))


def bring(corpus, content, *, name="mine", file="mine.csv", by=None):
    return import_distances(corpus=corpus, name=name, files=[(file, io.BytesIO(content))], now=NOW, by=by)


def faults(corpus, content, **options):
    with pytest.raises(InputError) as caught:
        bring(corpus, content, **options)
    assert not GivenDistances.objects.exists()
    return str(caught.value).splitlines()


def test_the_three_files_of_systems_are_the_same_distances_as_a_table():
    corpus = make_scored_corpus()
    value = load_corpus(corpus)
    archive = bring(corpus, distances_archive(value), name="three-files", file="export.zip").row
    bring(corpus, distances_table(value))
    one, other = books_of(corpus, offered_hashes(corpus, ["mine", "three-files"]))
    assert archive.covered <= archive.wanted
    place = {text: number for number, text in enumerate(one.texts)}
    first, second = (np.array([place[text] for text in texts]) for texts in _sides(other))
    np.testing.assert_allclose(one.look_up(first, second), other.values, atol=1e-12)


def _sides(book):
    return [[book.texts[n] for n in side.tolist()] for side in (book.first, book.second)]


def test_a_run_by_itself_finds_its_distances_and_other_work_does_not():
    corpus = make_scored_corpus()
    bring(corpus, distances_table(load_corpus(corpus)))
    with pytest.raises(MeasureError, match="There is no measure 'mine'"):
        request_automatic(corpus_row=corpus, choice=MeasureChoice(spec="mine"), now=NOW)
    with with_given(corpus, offered_hashes(corpus, ["mine"])):
        run = request_automatic(corpus_row=corpus, choice=MeasureChoice(spec="mine"), now=NOW)
    done = execute_run(run=run, clock=lambda: NOW)
    same = execute_run(
        run=request_automatic(corpus_row=corpus, choice=MeasureChoice(spec="rouge-l"), now=NOW),
        clock=lambda: NOW,
    )
    assert done.is_done, done.error
    assert [row["perseval"] for row in done.records] == [row["perseval"] for row in same.records]
    assert "mine" not in measure_ids()


def test_the_same_distances_again_change_nothing_and_others_need_another_name(researcher):
    corpus = make_scored_corpus()
    table = distances_table(load_corpus(corpus))
    first = bring(corpus, table, by=researcher)
    again = bring(corpus, b"\n".join(table.splitlines()[:1] + table.splitlines()[:0:-1]))
    assert (first.created, again.created, again.row) == (True, False, first.row)
    entry = AuditEntry.objects.get(action="distances uploaded")
    assert (entry.actor, entry.detail["hash"]) == (researcher, first.row.content_hash)
    with pytest.raises(ConflictError, match="has other distances called “mine”"):
        bring(corpus, distances_table(load_corpus(corpus), "jsd"))
    assert remove_distances(row=first.row, now=NOW)
    assert not GivenDistances.objects.exists()


@pytest.mark.parametrize(
    ("name", "said"), [("My Metric", "is no name of a measure"), ("jsd", "There is a measure called 'jsd'")]
)
def test_a_name_that_is_none_or_taken_is_refused(name, said):
    with pytest.raises(ValidationError, match=said):
        bring(make_scored_corpus(), b"", name=name)


def test_every_fault_is_named_by_file_and_line_as_the_file_was_chosen():
    corpus = make_scored_corpus()
    assert faults(corpus, HEAD + b"a,b,1\na,b,2\na,c,near\n") == [
        "mine.csv:3: the same two texts have the distance 1 above and 2 here; keep one",
        "mine.csv:4: distance is 'near'; it must be a number from 0 to 1e+09, or empty",
    ]
    assert faults(corpus, HEAD) == ["the files: no row holds a distance"]
    assert faults(corpus, b"", file="mine.xlsx") == [
        "mine.xlsx: is neither a CSV table nor a ZIP archive of them"
    ]
    wanted = len(pairs_to_compare(load_corpus(corpus)))
    (foreign,) = faults(corpus, HEAD + b"a,b,1\n")
    assert foreign.startswith(
        f"the files: none of the {wanted:,} pairs of texts that scores of this corpus ask"
    )


def archive_of(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def test_an_archive_that_fills_the_disk_or_leaves_its_folder_is_not_unpacked(settings, monkeypatch):
    corpus, file = make_scored_corpus(), "a.zip"
    settings.CONCORD_UPLOAD_LIMIT_MB = 1
    bomb = archive_of([("t.csv", b"0" * 2_000_001)])
    assert faults(corpus, bomb, file=file) == ["a.zip: not read: it unpacks to more than 2 MB"]
    monkeypatch.setattr(archives, "MOST_FILES", 1)
    two = archive_of([("a.csv", b""), ("b.csv", b"")])
    assert faults(corpus, two, file=file) == ["a.zip: holds more than 1 files"]
    monkeypatch.undo()
    twice = archive_of([("x/t.csv", HEAD), ("../t.csv", HEAD)])
    assert faults(corpus, twice, file=file) == [
        "a.zip/../t.csv: stands there twice; give each file a name of its own"
    ]
    outside = archive_of([("../sum_doc_distances.csv", b"")])
    assert faults(corpus, outside, file=file)[0].startswith("sum_doc_distances.csv:1: the header lacks")
    assert faults(corpus, b"PK no", file=file)[0].startswith("a.zip: cannot be read as a ZIP archive")


def post(client, corpus, content, name="mine"):
    address = reverse("given:upload", args=[corpus.pk])
    data = {"name": name, "tables": SimpleUploadedFile("mine.csv", content)}
    return client.post(address, data, follow=True)


def test_an_admin_uploads_and_everybody_on_the_staff_sees(admin_client, researcher_client, client):
    corpus = make_scored_corpus()
    table = distances_table(load_corpus(corpus))
    assert post(researcher_client, corpus, table).status_code == 403
    assert "/login/" in post(client, corpus, table).redirect_chain[0][0]
    assert not GivenDistances.objects.exists()
    bad = post(admin_client, corpus, HEAD + b"a,b,-1\n")
    assert bad.status_code == 422
    assert "mine.csv 2 distance is '-1'" in text_of(bad)
    assert "There is a measure called 'bleu'" in text_of(post(admin_client, corpus, table, name="bleu"))
    assert "“mine” is a measure and a surrogate of reports" in text_of(post(admin_client, corpus, table))
    row = GivenDistances.objects.get()
    seen = text_of(researcher_client.get(reverse("given:list", args=[corpus.pk])))
    assert f"{row.covered} of {row.wanted}" in seen
    assert "Upload distances" not in seen
    label = dict(ReportForm(user=make_user()).fields["surrogates"].choices)["mine"]
    assert label == "mine (distances from outside, for News)"


def test_distances_of_another_corpus_are_no_measure_of_this_report():
    corpus = make_scored_corpus()
    bring(corpus, distances_table(load_corpus(corpus)))
    with pytest.raises(ValidationError, match="mine are distances of “News”, not of “News”"):
        make_report(measures=["mine"], built=False)


def test_files_that_are_too_large_are_refused(admin_client, settings):
    settings.CONCORD_UPLOAD_LIMIT_MB = 0
    response = post(admin_client, make_scored_corpus(), HEAD)
    assert "manage.py import_distances" in text_of(response)


def test_the_command_stores_what_the_page_would(tmp_path, capsys):
    corpus = make_scored_corpus()
    path = tmp_path / "mine.csv"
    path.write_bytes(distances_table(load_corpus(corpus)))
    call_command("import_distances", corpus.pk, "mine", path)
    call_command("import_distances", corpus.pk, "mine", path)
    row = GivenDistances.objects.get()
    assert capsys.readouterr().out.splitlines() == [
        f"Stored 'mine': {row.pairs} pairs; of the {row.wanted} that scores ask for it has {row.covered}.",
        "Already there as 'mine': the same distances, nothing changed.",
    ]
    with pytest.raises(CommandError, match="There is no corpus 0"):
        call_command("import_distances", 0, "mine", path)


def test_a_packed_book_is_the_book():
    corpus = make_scored_corpus()
    row = bring(corpus, distances_table(load_corpus(corpus))).row
    (book,) = books_of(corpus, {"mine": row.content_hash})
    assert book.digest == row.content_hash
    one, other = pairs_to_compare(load_corpus(corpus))[0]
    with with_given(corpus, {"mine": row.content_hash}):
        assert make_measure("mine")(one, other) == make_measure("rouge-l")(one, other)


def test_distances_of_a_corpus_that_is_deleted_while_they_are_read_are_refused(monkeypatch):
    corpus = make_scored_corpus()
    table = distances_table(load_corpus(corpus))
    describe = given_services._describe

    def delete_and_describe(*read):
        delete_thing(thing=corpus, typed=asked_name(corpus), seen=fingerprint(corpus), now=NOW)
        return describe(*read)

    monkeypatch.setattr(given_services, "_describe", delete_and_describe)
    with pytest.raises(NotFoundError, match="was deleted at this moment"):
        bring(corpus, table)
