"""Backups of a running site."""

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
from django.db.migrations.recorder import MigrationRecorder

from meta_eval.version import __version__
from survey_site.operations.archive import BackupError, Manifest, write_archive
from survey_site.operations.databases import FILES, copy_database
from survey_site.operations.models import BackupMade
from survey_site.settings.secret import FILE_NAME

COMPUTED = ("contributions", "distances", "replies")
"""Folders of the data folder that a backup may hold: what is in them can be computed, or asked for, again."""
KEY = f"data/{FILE_NAME}"
"""The secret key in an archive."""
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
            migrations=applied_migrations(),
            rows=rows,
            key_fingerprint=key_fingerprint(settings.SECRET_KEY),
        )


def backup_name(now: datetime) -> str:
    """What the file of a backup of that moment is called, without its ending."""
    return f"concord-backup-{now:%Y%m%d-%H%M%S}"


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
        yield KEY, kept
    for path in sorted(path for name in COMPUTED * computed for path in (data / name).rglob("*")):
        if path.is_file() and not path.name.startswith("."):  # a name that begins with a dot is half written
            kept = folder / path.relative_to(data)
            kept.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):  # gone since it was listed
                shutil.copyfile(path, kept)
                yield f"data/{path.relative_to(data)}", kept


def applied_migrations() -> list[str]:
    """Those of the database as it is now, as `app.name`."""
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def key_fingerprint(key: str) -> str:
    """Tells one secret key from another, and nothing of either."""
    return hashlib.sha256(f"concord-key:{key}".encode()).hexdigest()[:16]
