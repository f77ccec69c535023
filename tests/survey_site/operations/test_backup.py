"""A backup holds one moment of a site on which people write, and a restored site has every row of it."""

import gzip
import io
import json
import shutil
import stat
import tarfile
from datetime import UTC, datetime
from threading import Event, Thread

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, connections, transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import AuditEntry
from survey_site.batches.models import Batch
from survey_site.operations.archive import MANIFEST, BackupError
from survey_site.operations.backup import key_fingerprint, make_backup
from survey_site.operations.databases import FILES, count_rows
from survey_site.operations.models import BackupMade
from survey_site.operations.restoring import restore_backup
from survey_site.survey.models import Rating
from tests.factories.batches import NOW, make_batch
from tests.factories.survey import make_assignment, submit_all

MOMENT = datetime(2026, 5, 3, 12, tzinfo=UTC)
LATER = datetime(2026, 5, 3, 13, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _programs():
    if connection.vendor == "postgresql" and shutil.which("pg_dump") is None:
        pytest.skip("PostgreSQL's client programs are not installed here")


@pytest.fixture
def data(settings, tmp_path):
    """A data folder of the site's own, with the key that it uses."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "secret-key").write_text(settings.SECRET_KEY + "\n", encoding="ascii")
    settings.CONCORD_DATA_DIR = folder
    return folder


def members(path):
    with tarfile.open(path) as tar:
        return {one.name: tar.extractfile(one).read() for one in tar}


def repack(path, files, links=()):
    with tarfile.open(path, "w:gz") as tar:
        for name, leads_to in links:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, leads_to
            tar.addfile(entry)
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))


def write_pairs(batch, stop):
    """Two rows a transaction, until told to stop: a copy of one moment never has an odd number."""
    try:
        while not stop.is_set():
            with transaction.atomic():
                for action in ("one", "two"):
                    record_action(action=action, subject=batch, by=None, now=NOW)
    finally:
        connections.close_all()


@pytest.mark.django_db(transaction=True)
def test_what_raters_gave_is_there_again_after_a_drill_while_others_write(data, tmp_path):
    batch = make_batch()
    submit_all(make_assignment(batch))
    ratings = sorted(Rating.objects.values_list("pk", "assignment_item", "value"))
    (data / "contributions").mkdir()
    (data / "contributions" / "a.parquet").write_bytes(b"computed")
    stop, target = Event(), tmp_path / "drill.tar.gz"
    writer = Thread(target=write_pairs, args=(batch, stop))
    writer.start()
    try:
        made = make_backup(target, now=MOMENT, computed=True)
    finally:
        stop.set()
        writer.join()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert sorted(made.files) == sorted(
        [FILES[connection.vendor], "data/secret-key", "data/contributions/a.parquet"]
    )
    call_command("flush", interactive=False, verbosity=0)
    (data / "contributions" / "a.parquet").unlink()
    assert Batch.objects.count() == 0

    done = restore_backup(target, now=MOMENT)

    assert (done.manifest, done.waiting, done.files, done.signs) == (made, 0, 1, [])
    assert sorted(Rating.objects.values_list("pk", "assignment_item", "value")) == ratings
    assert AuditEntry.objects.filter(action__in=["one", "two"]).count() % 2 == 0
    assert count_rows() == made.rows
    assert (data / "contributions" / "a.parquet").read_bytes() == b"computed"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "drill.tar.gz"]
    assert {path.name for path in data.iterdir()} == {".in-use", "backups", "contributions", "secret-key"}
    make_batch()  # and the site goes on: numbers of new rows follow those restored
    assert Batch.objects.count() == 2


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite stands behind no pooler")
@pytest.mark.django_db(transaction=True)
def test_nothing_is_dumped_or_restored_through_a_pooler_by_transactions(data, tmp_path, monkeypatch):
    """Both programs empty the search path of their session, which would be a session of the site."""
    kept = tmp_path / "kept.tar.gz"
    make_backup(kept, now=MOMENT)
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    with pytest.raises(BackupError, match=r"What pg_dump sets .* DATABASE_URL of the server itself"):
        make_backup(tmp_path / "another.tar.gz", now=MOMENT)
    with pytest.raises(BackupError, match="What pg_restore sets"):
        restore_backup(kept, now=MOMENT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "kept.tar.gz"]


@pytest.mark.django_db(transaction=True)
def test_a_site_with_people_on_it_is_not_lost_by_mistake(data, tmp_path):
    target = tmp_path / "before.tar.gz"
    make_backup(target, now=MOMENT)
    make_batch()
    with pytest.raises(BackupError, match="not empty: it has users or corpora"):
        restore_backup(target, now=MOMENT)
    assert Batch.objects.count() == 1
    restore_backup(target, now=MOMENT, replace=True)
    assert Batch.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_links_made_with_another_key_are_told(data, tmp_path, settings):
    target = tmp_path / "kept.tar.gz"
    old = settings.SECRET_KEY
    make_backup(target, now=MOMENT)
    settings.SECRET_KEY = "set in the environment, and another one"
    with pytest.raises(BackupError, match=f"fingerprint {key_fingerprint(old)}"):
        restore_backup(target, now=MOMENT)
    restore_backup(target, now=MOMENT, other_key=True)
    (data / "secret-key").write_text(settings.SECRET_KEY, encoding="ascii")
    restore_backup(target, now=LATER)
    kept = data / "secret-key"
    assert (kept.read_text(encoding="ascii").strip(), stat.S_IMODE(kept.stat().st_mode)) == (old, 0o600)


def told(files, old, new):
    """The archive with another word in its manifest."""
    return files | {MANIFEST: files[MANIFEST].replace(old, new)}


CHANGES = {
    "is damaged": lambda files: files | {FILES[connection.vendor]: b"not what it was"},
    "../../outside is no file of a backup": lambda files: files | {"../../outside": b"?"},
    "/tmp/outside is no file of a backup": lambda files: files | {"/tmp/outside": b"?"},  # noqa: S108
    "its manifest and its files differ: data/more": lambda files: files | {"data/more": b"?"},
    "holds no manifest of a backup": lambda files: files | {MANIFEST: b"{}"},
    "its format is 9": lambda files: told(files, b'"format": 1', b'"format": 9'),
    "does not know a.0099_later": lambda files: told(
        files, b'"migrations": [', b'"migrations": ["a.0099_later",'
    ),
    "The backup is of other": lambda files: told(
        files, f'"engine": "{connection.vendor}"'.encode(), b'"engine": "other"'
    ),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("said", CHANGES)
def test_a_backup_that_was_changed_changes_nothing(data, tmp_path, said):
    target = tmp_path / "changed.tar.gz"
    make_backup(target, now=MOMENT)
    repack(target, CHANGES[said](members(target)))
    make_batch()
    with pytest.raises(BackupError, match=said):
        restore_backup(target, now=MOMENT, replace=True)
    assert Batch.objects.count() == 1


def put(data, **files):
    for name, content in files.items():
        path = data / "contributions" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")


def refuse_to_restore(target, said):
    """Nothing is changed, and nothing is left behind."""
    folder = settings.CONCORD_DATA_DIR

    def found():
        files = {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}
        return count_rows(), files

    before = found()
    with pytest.raises(BackupError, match=said):
        restore_backup(target, now=MOMENT, replace=True)
    assert found() == (before[0], before[1] | {".in-use": b""})


@pytest.mark.django_db(transaction=True)
def test_rows_are_counted_before_anything_is_given_up(data, tmp_path):
    target = tmp_path / "changed.tar.gz"
    put(data, a="of the backup")
    made = make_backup(target, now=MOMENT, computed=True)
    count = made.rows["accounts_user"]
    repack(target, told(members(target), f'"accounts_user": {count}'.encode(), b'"accounts_user": 77'))
    make_batch()
    put(data, a="of now")
    refuse_to_restore(target, f"accounts_user {count} instead of 77. Nothing was changed")


@pytest.mark.django_db(transaction=True)
def test_a_file_that_cannot_come_back_keeps_the_database_and_the_other_files(data, tmp_path):
    target = tmp_path / "kept.tar.gz"
    put(data, a="of the backup", b="of the backup", c="of the backup")
    make_backup(target, now=MOMENT, computed=True)
    make_batch()
    put(data, b="of now")
    (data / "contributions" / "a").unlink()
    (data / "contributions" / "c").unlink()
    (data / "contributions" / "c").mkdir()
    refuse_to_restore(target, "c could not be restored, so that nothing was changed")


@pytest.mark.django_db(transaction=True)
def test_a_database_that_does_not_commit_keeps_the_files(data, tmp_path, monkeypatch):
    target = tmp_path / "kept.tar.gz"
    put(data, a="of the backup")
    make_backup(target, now=MOMENT, computed=True)
    make_batch()
    put(data, a="of now")

    def fail():
        raise OperationalError("no room")

    monkeypatch.setattr(connection, "_commit", fail)
    with pytest.raises(BackupError, match=r"look, or restore again: no room"):
        restore_backup(target, now=MOMENT, replace=True)
    monkeypatch.undo()
    assert Batch.objects.count() == 1
    assert (data / "contributions" / "a").read_text(encoding="utf-8") == "of now"


@pytest.mark.django_db(transaction=True)
def test_what_was_replaced_can_be_had_again(data, tmp_path):
    target = tmp_path / "before.tar.gz"
    put(data, a="of the backup")
    make_backup(target, now=MOMENT, computed=True)
    batch = make_batch()
    submit_all(make_assignment(batch))
    ratings = sorted(Rating.objects.values_list("pk", "value"))
    put(data, a="of now")
    done = restore_backup(target, now=MOMENT, replace=True)
    assert (Rating.objects.count(), done.files) == (0, 1)
    assert (data / "contributions" / "a").read_text(encoding="utf-8") == "of the backup"
    restore_backup(done.kept, now=LATER, replace=True)
    assert sorted(Rating.objects.values_list("pk", "value")) == ratings
    assert (data / "contributions" / "a").read_text(encoding="utf-8") == "of now"


@pytest.mark.django_db(transaction=True)
def test_a_backup_that_holds_a_link_is_refused(data, tmp_path):
    target = tmp_path / "changed.tar.gz"
    make_backup(target, now=MOMENT)
    repack(target, members(target), links=[("data/link", str(tmp_path))])
    with pytest.raises(BackupError, match="data/link is no file of a backup"):
        restore_backup(target, now=MOMENT, replace=True)


@pytest.mark.django_db(transaction=True)
def test_a_file_that_lies_elsewhere_is_packed_and_not_the_link_to_it(data, tmp_path):
    elsewhere = tmp_path / "elsewhere.bin"
    elsewhere.write_bytes(b"kept")
    (data / "contributions").mkdir()
    (data / "contributions" / "linked.bin").symlink_to(elsewhere)
    target = tmp_path / "linked.tar.gz"
    make_backup(target, now=MOMENT)
    restore_backup(target, now=MOMENT, replace=True)
    assert (data / "contributions" / "linked.bin").read_bytes() == b"kept"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "content", [b"no archive", gzip.compress(b"no archive", mtime=0)], ids=["text", "gzip"]
)
def test_what_is_no_backup_is_said(data, tmp_path, content):
    target = tmp_path / "some.tar.gz"
    target.write_bytes(content)
    with pytest.raises(BackupError, match="cannot be read as a backup"):
        restore_backup(target, now=MOMENT)


@pytest.mark.django_db(transaction=True)
def test_the_commands_tell_what_they_did(data, tmp_path, capsys):
    make_batch()
    call_command("backup", tmp_path)
    (target,) = tmp_path.glob("concord-backup-*.tar.gz")
    said = json.loads(members(target)[MANIFEST])
    rows = f"{sum(said['rows'].values()):,} rows of {len(said['rows'])} tables"
    assert f"{target}: {rows}, " in capsys.readouterr().out
    assert list(BackupMade.objects.values_list("file", flat=True)) == [target.name]
    call_command("restore", target, "--replace")
    (kept,) = (data / "backups").iterdir()
    assert capsys.readouterr().out.splitlines() == [
        f"Restored: {rows}, as of {said['made_at']}; counted, and equal to the backup.",
        "Data folder: 0 files restored; all others stay as they were.",
        f"What was there before is kept: {kept}",
        "Start the site again.",
    ]
    with pytest.raises(CommandError, match="cannot be read as a backup"):
        call_command("restore", tmp_path / "none")
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("backup", tmp_path / "no" / "folder")
