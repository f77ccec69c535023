"""Backups of a running site, and putting one back."""

import hashlib
import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from meta_eval.version import __version__
from survey_site.accounts.models import User
from survey_site.common.health import waiting_migrations
from survey_site.corpus.models import Corpus
from survey_site.operations.archive import BackupError, Manifest, open_archive, write_archive
from survey_site.operations.databases import FILES, copy_database, load_database
from survey_site.operations.models import BackupMade
from survey_site.settings.secret import FILE_NAME, keep_secret_key

COMPUTED = ("contributions", "distances", "replies")
"""Folders of the data folder that a backup may hold: what is in them can be computed, or asked for, again."""
_KEY = f"data/{FILE_NAME}"
log = logging.getLogger(__name__)


def make_backup(target: Path, *, now: datetime, computed: bool = False) -> Manifest:
    """Write the database, and the secret key where it lies in the data folder, to one file.

    Raters may go on meanwhile. With `computed`, distances and contributions come too. Raises BackupError.
    """
    if target.exists():
        raise BackupError(f"{target} is there already. Name another file.")
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".concord-backup-") as folder:
        rows = copy_database(Path(folder))
        database = FILES[connection.vendor]
        return write_archive(
            target,
            {database: Path(folder) / database} | dict(_data_files(computed, Path(folder) / "data")),
            made_at=now.isoformat(timespec="seconds"),
            version=__version__,
            engine=connection.vendor,
            migrations=_applied(),
            rows=rows,
            key_fingerprint=key_fingerprint(settings.SECRET_KEY),
        )


def note_backup(target: Path, *, now: datetime) -> None:
    """Write down that the backup was made, for the status page; without the note it is as good."""
    try:
        BackupMade.objects.create(file=target.name, size=target.stat().st_size, made_at=now)
    except Error as error:
        log.warning("The backup %s is not on the status page: %s", target, error)


def _data_files(computed: bool, folder: Path) -> Iterator[tuple[str, Path]]:
    """Files of the data folder by their names in the archive; what workers may replace is copied first."""
    data = Path(settings.CONCORD_DATA_DIR)
    kept = data / FILE_NAME
    if kept.is_file() and kept.read_text(encoding="ascii").strip() == settings.SECRET_KEY:
        yield _KEY, kept
    for path in sorted(path for name in COMPUTED * computed for path in (data / name).rglob("*")):
        if path.is_file() and not path.name.startswith("."):  # a name that begins with a dot is half written
            kept = folder / path.relative_to(data)
            kept.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):  # gone since it was listed
                shutil.copyfile(path, kept)
                yield f"data/{path.relative_to(data)}", kept


def _applied() -> list[str]:
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def key_fingerprint(key: str) -> str:
    """Tells one secret key from another, and nothing of either."""
    return hashlib.sha256(f"concord-key:{key}".encode()).hexdigest()[:16]


def restore_backup(source: Path, *, replace: bool = False, other_key: bool = False) -> tuple[Manifest, int]:
    """Put a backup in the place of the site's database; returns its manifest and the migrations that wait.

    Everything is checked before anything is changed. `replace` lets a database go that has users or corpora;
    `other_key` goes on although raters' links were made with another secret key. Raises BackupError.
    """
    with tempfile.TemporaryDirectory(dir=settings.CONCORD_DATA_DIR, prefix=".concord-restore-") as name:
        folder = Path(name)
        manifest = open_archive(source, folder)
        _require_same_engine(manifest)
        _require_known_migrations(manifest)
        _require_room(manifest, replace)
        has_key = _require_key(manifest, other_key)
        rows = load_database(folder)
        if rows != manifest.rows:
            raise BackupError(
                f"The rows restored are not those of the backup: {_differences(rows, manifest)}"
            )
        _restore_data(folder, has_key)
    return manifest, waiting_migrations()


def _require_same_engine(manifest: Manifest) -> None:
    if manifest.engine != connection.vendor:
        raise BackupError(
            f"The backup is of {manifest.engine} and this site runs on {connection.vendor}. "
            "Set DATABASE_URL to a database of the backup's kind."
        )


def _require_known_migrations(manifest: Manifest) -> None:
    known = {f"{app}.{name}" for app, name in MigrationLoader(connection).disk_migrations}
    if later := sorted(set(manifest.migrations) - known):
        raise BackupError(
            f"The backup is of a later version of Concord, {manifest.version}: this one does not know "
            f"{', '.join(later[:3])}. Install that version, then restore."
        )


def _require_room(manifest: Manifest, replace: bool) -> None:
    tables = set(connection.introspection.table_names())
    if (others := sorted(tables - set(manifest.rows))) and connection.vendor != "sqlite":
        raise BackupError(
            f"The database has tables that the backup lacks ({', '.join(others[:3])}): it is of a later "
            "version or of another program. Make an empty database and name it in DATABASE_URL."
        )
    models = (User, Corpus)
    taken = any(model._meta.db_table in tables and model._default_manager.exists() for model in models)
    if taken and not replace:
        raise BackupError(
            "This site's database is not empty: it has users or corpora. Make a backup of it first, "
            "stop the site, and give --replace to let it go."
        )


def _require_key(manifest: Manifest, other_key: bool) -> bool:
    """Whether the backup brings the key that the site is to use from now on."""
    if key_fingerprint(settings.SECRET_KEY) == manifest.key_fingerprint:
        return False
    if _KEY in manifest.files and _key_is_kept():
        return True
    if not other_key:
        raise BackupError(
            f"The site's SECRET_KEY is not the one of the backup (fingerprint {manifest.key_fingerprint}). "
            "Raters' links are made with it: set the old one, or go on without their links (--other-key)."
        )
    return False


def _key_is_kept() -> bool:
    """Whether the site takes its key from the data folder, so that its next start uses a restored one."""
    kept = Path(settings.CONCORD_DATA_DIR) / FILE_NAME
    return kept.is_file() and kept.read_text(encoding="ascii").strip() == settings.SECRET_KEY


def _differences(rows: dict[str, int], manifest: Manifest) -> str:
    told = manifest.rows
    tables = sorted(table for table in rows.keys() | told if rows.get(table) != told.get(table))
    return ", ".join(f"{table} {rows.get(table)} instead of {told.get(table)}" for table in tables[:5])


def _restore_data(folder: Path, has_key: bool) -> None:
    data = Path(settings.CONCORD_DATA_DIR)
    for path in (one for one in (folder / "data").rglob("*") if one.is_file()):
        inside = path.relative_to(folder / "data")
        if inside == Path(FILE_NAME):
            if has_key:
                keep_secret_key(data, path.read_text(encoding="ascii").strip())
            continue
        (data / inside).parent.mkdir(parents=True, exist_ok=True)
        path.replace(data / inside)
