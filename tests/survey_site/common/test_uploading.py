"""What is too long is refused unread: not one byte of it reaches an upload handler, and so the disk."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.test import Client

from tests.factories.batches import make_batch

pytestmark = pytest.mark.django_db
CORPUS, RATINGS = "/corpora/import/", "/batches/upload/"
MEGABYTE = 1_000_000


class Recorder(FileUploadHandler):
    """Counts what is read, and keeps nothing."""

    read = 0

    def receive_data_chunk(self, raw_data, _start):
        Recorder.read += len(raw_data)

    def file_complete(self, _file_size):
        return None


@pytest.fixture
def sent(settings):
    """Posts a file of so many megabytes; gives the answer and the bytes of it that were read."""
    settings.FILE_UPLOAD_HANDLERS = [f"{__name__}.Recorder"]
    Recorder.read = 0

    def post(client, path, megabytes):
        file = SimpleUploadedFile("f.jsonl", b"x" * (megabytes * MEGABYTE))
        response = client.post(path, {"format": "jsonl", "jsonl": file})
        return response, Recorder.read

    return post


def test_nobody_sends_files_to_raters_pages(sent):
    path = f"/s/{make_batch().token}/start/"
    response, read = sent(Client(enforce_csrf_checks=True), path, 3)
    assert (response.status_code, read) == (413, 0)
    assert response.content == b"This is larger than anything that this page takes from you.\n"


def test_what_forms_need_is_let_through(sent):
    response, read = sent(Client(), f"/s/{make_batch().token}/start/", 2)
    assert (response.status_code, read) == (409, 2 * MEGABYTE)  # nobody agreed


@pytest.mark.parametrize("path", [CORPUS, RATINGS])
def test_strangers_send_no_files_to_the_pages_that_take_some(path, sent):
    response, read = sent(Client(), path, 3)
    assert (response.status_code, read) == (413, 0)


def test_only_admins_send_ratings(sent, researcher_client):
    researcher_client.handler.enforce_csrf_checks = True
    assert sent(researcher_client, RATINGS, 3)[1] == 0


@pytest.mark.parametrize(("path", "command"), [(CORPUS, "import_corpus"), (RATINGS, "import_ratings")])
def test_who_may_sends_up_to_the_limit(path, command, sent, admin_client, settings):
    settings.CONCORD_UPLOAD_LIMIT_MB = 4
    response, read = sent(admin_client, path, 4)
    assert (response.status_code, read) == (422, 4 * MEGABYTE)
    response, read = sent(admin_client, path, 6)
    assert (response.status_code, read) == (413, 4 * MEGABYTE)
    text = (
        f"The files have 6 MB; this page takes 4 MB. Import with `manage.py {command}` on the server instead."
    )
    assert text in response.content.decode()
