"""How generated systems came about: imported with their corpus, or after it, and shown on its page."""

import html
import json
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from meta_eval.corpus.jsonl import write_jsonl
from meta_eval.studies.icopernicus.provenance import render_provenance
from survey_site.accounts.audit import audit_entries
from survey_site.corpus.models import Corpus, System
from survey_site.demo.prompts import prompted_corpus
from tests.factories.api import make_program

pytestmark = pytest.mark.django_db
URL = "/corpora/import/"
SYSTEM = "Rule that reads: C-2-shot w/"


@pytest.fixture(scope="module")
def written():
    """The texts of a corpus that was generated, and of the file beside it, as `generate` writes both."""
    corpus, records = prompted_corpus()
    stream = StringIO()
    write_jsonl(corpus, stream)
    return stream.getvalue(), render_provenance(records)


def files(written, *, generated=True):
    corpus, records = written
    sent = {"format": "jsonl", "jsonl": SimpleUploadedFile("made.jsonl", corpus.encode())}
    if generated:
        sent["generated"] = SimpleUploadedFile("made.llm.json", records.encode())
    return sent


def changed(written, change):
    """The same files, after a change to the first record."""
    corpus, records = written[0], json.loads(written[1])
    change(records)
    return corpus, json.dumps(records)


def text_of(client, corpus):
    return html.unescape(client.get(corpus.get_absolute_url()).content.decode())


def test_the_page_of_an_imported_corpus_says_how_each_system_came_about(researcher_client, written):
    researcher_client.post(URL, files(written))
    corpus, records = Corpus.objects.get(), json.loads(written[1])
    assert list(corpus.systems.values_list("generated", flat=True)) == records
    record = next(one for one in records if one["system"] == SYSTEM)
    page = text_of(researcher_client, corpus)
    options = record["signature"]["options"]
    for said in (
        "<dt>Model</dt><dd>rule-reads</dd>",
        "<dt>Prompt style</dt><dd>C-2-shot w/</dd>",
        f"digest {options['prompt_digest']}, tokens {record['tokens']}</dd>",
        "plan all, several first, history first, documents 12, seed 0</dd>",
        "<dt>Settings</dt><dd>temperature 0.6, top p 1.0, top k 16, structured auto, max tokens 128",
        f"{record['answered']} of {record['asked']} prompts",
        record["signature_line"],
    ):
        assert said in page, said
    assert page.count("<dt>Signature</dt>") == len(records) == 12


def test_a_corpus_without_a_record_says_nothing_of_it_and_can_get_one_later(researcher_client, written):
    researcher_client.post(URL, files(written, generated=False))
    corpus = Corpus.objects.get()
    before = text_of(researcher_client, corpus)
    after = html.unescape(researcher_client.post(URL, files(written), follow=True).content.decode())
    assert ("Generated systems" in before, "Generated systems" in after) == (False, True)
    assert "Its page now says how 12 systems came about." in after
    assert [one.detail["systems"][0] for one in audit_entries(action="generated systems recorded")] == [
        "Rule that reads: 0-shot"
    ]


def test_what_is_known_of_a_system_stays(researcher_client, written):
    researcher_client.post(URL, files(written))
    other = changed(written, lambda records: records[0].update(model="another"))
    page = researcher_client.post(URL, files(other), follow=True).content.decode()
    assert "came about." not in page
    assert System.objects.filter(generated__model="another").count() == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda records: records[0].update(texts=999), "has 999 texts, and the corpus has "),
        (lambda records: records[0].update(system="Nobody"), "says that 'Nobody' has "),
        (lambda records: records[0].pop("model"), "record 1 lacks the text 'model'"),
        (lambda records: records[0].update(signature=3), "record 1 has a signature that must be an object"),
        (lambda records: records[0].update(seed="0"), "record 1 has 'seed' that must not be a text"),
        (lambda records: records[0].update(more="\0"), "record 1 holds a NUL character"),
        (lambda records: records.append(records[0]), "has 2 records of the system"),
        (lambda records: records.clear(), "must hold a list of records"),
    ],
)
def test_another_file_imports_nothing_and_says_why(researcher_client, written, change, message):
    response = researcher_client.post(URL, files(changed(written, change)))
    page = html.unescape(response.content.decode())
    assert (response.status_code, Corpus.objects.count()) == (422, 0)
    assert "<code>made.llm.json</code>" in page
    assert message in page


def test_what_is_no_json_is_a_fault_of_that_file(researcher_client, written):
    for text in ("{", "\xff"):
        sent = files((written[0], ""), generated=False)
        sent["generated"] = SimpleUploadedFile("made.llm.json", text.encode("latin-1"))
        response = researcher_client.post(URL, sent)
        assert response.status_code == 422
        assert "<code>made.llm.json</code>" in response.content.decode()
        assert "not JSON" in response.content.decode()


def test_a_record_with_markup_is_shown_as_text(researcher_client, written):
    marked = changed(written, lambda records: records[0].update(model="<b>m", signature_line="<script>"))
    page = researcher_client.post(URL, files(marked), follow=True).content.decode()
    assert ("<b>m" in page, "<script>" in page, "&lt;b&gt;m" in page) == (False, False, True)


def test_the_command_takes_the_file_beside_the_corpus_or_the_one_that_is_named(written, tmp_path):
    (tmp_path / "made.jsonl").write_text(written[0], encoding="utf-8")
    (tmp_path / "other.json").write_text(written[1], encoding="utf-8")

    def run(**options):
        out = StringIO()
        call_command("import_corpus", str(tmp_path / "made.jsonl"), stdout=out, **options)
        return out.getvalue()

    assert "came about" not in run()
    assert "Recorded how 12 systems came about." in run(generated=str(tmp_path / "other.json"))
    System.objects.update(generated=None)
    (tmp_path / "other.json").rename(tmp_path / "made.llm.json")
    assert "Recorded how 12 systems came about." in run()
    with pytest.raises(CommandError):
        run(generated=str(tmp_path / "none.json"))


def test_programs_say_how_systems_of_a_corpus_came_about(researcher_client, written):
    researcher_client.post(URL, files(written, generated=False))
    corpus, records = Corpus.objects.get(), json.loads(written[1])
    address, program = f"corpora/{corpus.pk}/generated/", make_program("researcher")
    other = [{**records[0], "texts": 999}, *records[1:]]
    refused = program.post(address, {"systems": other})
    assert (refused.status_code, "has 999 texts" in refused.content.decode()) == (422, True)
    assert program.post(address, {"systems": [3]}).status_code == 422
    assert not System.objects.filter(generated__isnull=False).exists()
    for _ in range(2):
        answer = program.post(address, {"systems": records})
        assert [one["generated"] for one in answer.json()["by_system"]] == records
    (entry,) = audit_entries(action="generated systems recorded")
    assert (entry.actor, entry.detail["systems"]) == (program.user, [one["system"] for one in records])


def test_programs_read_the_record_of_each_system(researcher_client, written):
    researcher_client.post(URL, files(written))
    corpus, records = Corpus.objects.get(), json.loads(written[1])
    found = make_program().get(f"corpora/{corpus.pk}/").json()["by_system"]
    assert [one["generated"] for one in found] == records
