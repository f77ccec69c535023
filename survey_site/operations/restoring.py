"""Putting a backup in the place of what the site has.

Whatever may fail comes before the database's transaction ends: the copy of what goes, the rows that come,
counted, and the files of the data folder. Where one of them fails, database and files are as they were.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from survey_site.accounts.models import User
from survey_site.common.health import waiting_migrations
from survey_site.corpus.models import Corpus
from survey_site.operations.archive import BackupError, Manifest, open_archive
from survey_site.operations.backup import (
    KEY,
    applied_migrations,
    backup_name,
    key_fingerprint,
    make_backup,
)
from survey_site.operations.databases import count_rows, replaced_database
from survey_site.operations.in_use import signs_of_use
from survey_site.settings.secret import FILE_NAME, OWNER_ONLY

KEPT = "backups"
"""The folder of the data folder with what was replaced."""


@dataclass(frozen=True)
class Restored:
    """What a restore did.

    `kept` is a backup of what was there before, None where there was no database; `files` counts those of
    the data folder that came back, and `waiting` the migrations that are to be applied. `signs` says who used
    the site meanwhile.
    """

    manifest: Manifest
    kept: Path | None
    files: int
    waiting: int
    signs: list[str]


def restore_backup(
    source: Path,
    *,
    now: datetime,
    replace: bool = False,
    other_key: bool = False,
    while_in_use: bool = False,
) -> Restored:
    """Put a backup in the place of the site's database, and its files into the data folder; or do nothing.

    `replace` lets a database go that has users or corpora; `other_key` goes on although raters' links were
    made with another secret key; `while_in_use` although somebody uses the site. Raises BackupError.
    """
    data = Path(settings.CONCORD_DATA_DIR)
    with (
        signs_of_use(now) as signs,
        tempfile.TemporaryDirectory(dir=data, prefix=".concord-restore-") as name,
    ):
        _require_not_in_use(signs, while_in_use)
        folder = Path(name)
        manifest = open_archive(source, folder)
        _require_same_engine(manifest)
        _require_known_migrations(manifest)
        _require_room(manifest, replace)
        files = _files_to_place(folder, data, _require_key(manifest, other_key))
        with ExitStack() as undo, replaced_database(folder, end_others=while_in_use) as load:
            kept = _keep(data, now, computed=bool(files))
            try:
                load()
                _require_equal(manifest)
                undo.enter_context(_placed(files, folder))
            except BaseException:
                if kept:
                    kept.unlink()  # what it holds is still there
                raise
    return Restored(manifest, kept, len(files), waiting_migrations(), signs)


def _require_not_in_use(signs: list[str], while_in_use: bool) -> None:
    if signs and not while_in_use:
        raise BackupError(
            f"The site is in use: {'; '.join(signs)}. Nothing was changed. Stop its web servers and workers "
            "on all machines and restore again. With --while-in-use, what people answered until then is in a "
            "backup of the present database, which is kept, and no longer on the site."
        )


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
            "This site's database is not empty: it has users or corpora. Give --replace to let it go; a "
            "backup of it is kept."
        )


def _require_key(manifest: Manifest, other_key: bool) -> bool:
    """Whether the backup brings the key that the site is to use from now on."""
    if key_fingerprint(settings.SECRET_KEY) == manifest.key_fingerprint:
        return False
    if KEY in manifest.files and _key_is_kept():
        return True
    if not other_key:
        raise BackupError(
            f"The site's SECRETKEY is not the one of the backup (fingerprint {manifest.key_fingerprint}). "
            "Raters' links are made with it: set the old one, or go on without their links (--other-key)."
        )
    return False


def _key_is_kept() -> bool:
    """Whether the site takes its key from the data folder, so that its next start uses a restored one."""
    kept = Path(settings.CONCORD_DATA_DIR) / FILE_NAME
    return kept.is_file() and kept.read_text(encoding="ascii").strip() == settings.SECRET_KEY


def _keep(data: Path, now: datetime, *, computed: bool) -> Path | None:
    """Make a backup of what is about to be replaced; None where there is no database yet."""
    if not connection.introspection.table_names():
        return None
    folder = data / KEPT
    target = folder / f"{backup_name(now)}-replaced.tar.gz"
    try:
        folder.mkdir(mode=OWNER_ONLY, exist_ok=True)
        make_backup(target, now=now, computed=computed)
    except OSError as error:
        raise BackupError(
            f"{target}: what is there could not be kept, so that nothing was changed: {error.strerror}"
        ) from error
    return target


def _require_equal(manifest: Manifest) -> None:
    """Count what was restored, before it is the site's. Raises BackupError."""
    rows, told = count_rows(), manifest.rows
    tables = sorted(table for table in rows.keys() | told if rows.get(table) != told.get(table))
    if tables:
        named = ", ".join(f"{table} {rows.get(table)} instead of {told.get(table)}" for table in tables[:5])
        raise BackupError(f"The rows read are not those of the backup: {named}. Nothing was changed.")
    if applied_migrations() != manifest.migrations:
        raise BackupError("The migrations read are not those of the backup. Nothing was changed.")


def _files_to_place(folder: Path, data: Path, has_key: bool) -> Mapping[Path, Path]:
    """Each file that the backup has for the data folder, and where it goes; the key only where it is used."""
    inside = folder / "data"
    found = {path: data / path.relative_to(inside) for path in sorted(inside.rglob("*")) if path.is_file()}
    key = inside / FILE_NAME
    if has_key:
        key.chmod(0o600)
    else:
        found.pop(key, None)
    return found


@contextmanager
def _placed(files: Mapping[Path, Path], folder: Path) -> Iterator[None]:
    """Put each file where it goes. Where that or the block fails, all are as they were. BackupError."""
    with tempfile.TemporaryDirectory(dir=folder) as aside, ExitStack() as undo:
        try:
            for number, (new, target) in enumerate(files.items()):
                target.parent.mkdir(parents=True, exist_ok=True)
                old = Path(aside) / str(number)
                if os.path.lexists(target):
                    os.link(target, old, follow_symlinks=False)
                    undo.callback(os.replace, old, target)
                else:
                    undo.callback(target.unlink, missing_ok=True)
                os.replace(new, target)
        except OSError as error:
            raise BackupError(
                f"{target} could not be restored, so that nothing was changed: {error}"
            ) from error
        yield
        undo.pop_all()
