"""The upload page: the same import as the command, and faults as a table."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from survey_site.corpus.models import Corpus, System
from tests.survey_site.corpus.examples import BAD_JSONL_FILE, JSONL_FILE, OUTPUT_FILE, TEST_FILE

pytestmark = pytest.mark.django_db
URL = "/corpora/import/"


def upload(name: str, text: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text if isinstance(text, bytes) else text.encode())


def pens(**changes):
    files = {"test": upload("test.tsv", TEST_FILE), "systems": [upload("hyps_A.txt", OUTPUT_FILE)]}
    return {"format": "pens"} | files | changes


def test_a_jsonl_file_leads_to_its_page(researcher_client, researcher):
    response = researcher_client.post(
        URL, {"format": "jsonl", "jsonl": upload("pilot.jsonl", JSONL_FILE)}, follow=True
    )
    corpus = Corpus.objects.get()
    assert response.redirect_chain == [(f"/corpora/{corpus.pk}/", 302)]
    assert (corpus.name, corpus.created_by, corpus.source) == (
        "pilot",
        researcher,
        "Consolidated JSONL: pilot.jsonl",
    )
    assert "“pilot” was imported." in response.content.decode()


def test_a_script_that_sends_the_files_is_told_where_to_go_and_reads_no_message(researcher_client):
    data = {"format": "jsonl", "jsonl": upload("pilot.jsonl", JSONL_FILE)}
    response = researcher_client.post(URL, data, headers={"X-Requested-With": "XMLHttpRequest"})
    address = Corpus.objects.get().get_absolute_url()
    assert (response.status_code, response.json()) == (201, {"address": address})
    assert "“pilot” was imported." in researcher_client.get(address).content.decode()


def test_pens_files_with_names_from_the_field_and_from_the_files(researcher_client):
    systems = [upload("hyps_A.txt", OUTPUT_FILE), upload("b.txt", OUTPUT_FILE)]
    data = pens(systems=systems, system_names="Second = b.txt\r\n", name="PENS pilot")
    response = researcher_client.post(URL, data)
    assert response.headers["Location"] == Corpus.objects.get(name="PENS pilot").get_absolute_url()
    assert list(System.objects.values_list("name", flat=True)) == ["A", "Second"]


def test_files_too_big_for_memory(researcher_client, settings):
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    researcher_client.post(URL, pens())
    assert Corpus.objects.get().source == "PENS: test.tsv; systems A (hyps_A.txt); news not given"


def test_the_same_content_leads_to_the_corpus_that_is_there(researcher_client):
    data = {"format": "jsonl", "name": "first"}
    researcher_client.post(URL, data | {"jsonl": upload("a.jsonl", JSONL_FILE)})
    response = researcher_client.post(URL, data | {"jsonl": upload("b.jsonl", JSONL_FILE)}, follow=True)
    assert Corpus.objects.count() == 1
    assert "This content was already here" in response.content.decode()


def test_faults_are_a_table_of_file_line_and_what_is_wrong(researcher_client):
    response = researcher_client.post(URL, {"format": "jsonl", "jsonl": upload("bad.jsonl", BAD_JSONL_FILE)})
    page = response.content.decode()
    assert response.status_code == 422
    assert "Nothing was imported: 2 faults in the files" in page
    assert [(fault.file, fault.line) for fault in response.context["faults"].faults] == [
        ("bad.jsonl", 2),
        ("bad.jsonl", 3),
    ]
    assert page.count("<code>bad.jsonl</code>") == 2
    assert Corpus.objects.count() == 0


def test_faults_of_several_files_come_at_once(researcher_client):
    systems = [upload("hyps_A.txt", "one line\n"), upload("hyps_B.txt", b"caf\xe9\n" * 3)]
    response = researcher_client.post(URL, pens(systems=systems))
    places = [(fault.file, fault.line) for fault in response.context["faults"].faults]
    assert response.status_code == 422
    assert places[0] == ("hyps_A.txt", None)
    assert ("hyps_B.txt", 1) in places
    assert '<td class="num"><span class="muted">all</span></td>' in response.content.decode()


def test_what_was_typed_is_still_there_after_faults(researcher_client):
    data = pens(systems=[upload("a.txt", "one line\n")], name="My corpus", system_names="Mine=a.txt")
    page = researcher_client.post(URL, data).content.decode()
    assert 'value="My corpus"' in page
    assert "Mine=a.txt" in page


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        ({"format": "jsonl"}, "jsonl", "Choose the JSONL file or the table."),
        ({"format": "pens"}, "test", "Choose the test file."),
        ({"format": "pens"}, "systems", "Choose at least one output file."),
        ({"format": "xml"}, "format", "Select a valid choice. xml is not one of the available choices."),
    ],
)
def test_missing_files_are_named_at_their_field(researcher_client, data, field, message):
    response = researcher_client.post(URL, data)
    assert response.status_code == 422
    assert response.context["form"].errors[field] == [message]
    assert message in response.content.decode()


def test_names_for_files_that_were_not_chosen(researcher_client):
    response = researcher_client.post(URL, pens(system_names="A=other.txt"))
    assert response.context["form"].errors["system_names"] == [
        "No file 'other.txt' was chosen; chosen are hyps_A.txt."
    ]


def test_an_empty_file_is_told_as_such(researcher_client):
    response = researcher_client.post(URL, {"format": "jsonl", "jsonl": upload("empty.jsonl", "")})
    assert response.context["form"].errors["jsonl"][0] == "The submitted file is empty."


def test_more_than_the_limit_is_refused_before_reading(researcher_client, settings):
    settings.CONCORD_UPLOAD_LIMIT_MB = 0
    response = researcher_client.post(URL, pens())
    assert "this page takes 0 MB" in response.context["form"].non_field_errors()[0]
    assert Corpus.objects.count() == 0


def test_a_name_that_does_not_fit_a_column_is_a_fault(researcher_client):
    text = JSONL_FILE.replace('"d1"', f'"{"d" * 201}"')
    response = researcher_client.post(URL, {"format": "jsonl", "jsonl": upload("long.jsonl", text)})
    assert response.status_code == 422
    assert "is longer than 200 characters" in response.content.decode()


def test_names_of_files_are_escaped(researcher_client):
    response = researcher_client.post(URL, {"format": "jsonl", "jsonl": upload("<b>x.jsonl", BAD_JSONL_FILE)})
    assert "<b>x.jsonl" not in response.content.decode()
    assert "&lt;b&gt;x.jsonl" in response.content.decode()


def test_a_name_may_end_in_more_than_a_disk_takes(researcher_client):
    data = {"format": "jsonl", "name": "first", "jsonl": upload("n." + "\u0436" * 90, JSONL_FILE)}
    assert researcher_client.post(URL, data).status_code == 302


def test_uploading_needs_an_account(client):
    response = client.post(URL, {"format": "jsonl", "jsonl": upload("pilot.jsonl", JSONL_FILE)})
    assert response.headers["Location"] == f"/accounts/login/?next={URL}"
    assert Corpus.objects.count() == 0
