"""What an installation has on its disk: a data folder and, on one machine, a private secret key made once."""

import os
import secrets
import stat
import tempfile
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from django.core.exceptions import ImproperlyConfigured

FILE_NAME = "secret-key"
OWNER_ONLY = 0o700
NO_KEY = (
    "SECRET_KEY is not set, and DATABASE_URL names a database that several machines may share: set "
    "SECRET_KEY (or SECRET_KEY_FILE) to the same 50 or more random characters for every process of the site."
)


def read_local_secret_key(data_dir: Path) -> str:
    """The kept key, or an empty string, which Django refuses the moment a key is needed."""
    path = data_dir / FILE_NAME
    return path.read_text(encoding="ascii").strip() if path.exists() else ""


def prepare_installation(values: Mapping[str, Any]) -> None:
    """Make the data folder, and on one machine the secret key, if they are missing.

    The folder holds who took part and what they said, so only its owner may look into it; one that an older
    version made for all to read is closed. One machine means the database is SQLite. Elsewhere processes on
    several machines must share a key: ImproperlyConfigured where none is set and none is kept here.
    """
    _make_private(values["CONCORD_DATA_DIR"])
    if values["SECRET_KEY"]:
        return
    if (values["DATABASE_URL"] or "sqlite").startswith("sqlite"):
        _write_once(values["CONCORD_DATA_DIR"] / FILE_NAME)
    elif not read_local_secret_key(values["CONCORD_DATA_DIR"]):
        raise ImproperlyConfigured(NO_KEY)


def _make_private(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=OWNER_ONLY)
    found = folder.stat()
    if found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) != OWNER_ONLY:
        folder.chmod(OWNER_ONLY)


def _write_private(folder: Path, key: str) -> str:
    """A new file with the key that only its owner may read; gives its name."""
    handle, temporary = tempfile.mkstemp(dir=folder)  # mkstemp creates with mode 600
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(key + "\n")
    return temporary


def _write_once(path: Path) -> None:
    """Write a whole file or none: of two processes that start at once, both use the key of the first."""
    if path.exists():
        return
    temporary = _write_private(path.parent, secrets.token_urlsafe(64))
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(temporary)


def with_password(url: str, password: str | None) -> str:
    """The URL of a server with that password; as it is, where none is given."""
    if not password:
        return url
    parts = urlsplit(url)
    if not parts.username:
        raise ImproperlyConfigured(
            "A password needs a user: write CELERY_BROKER_URL=amqp://user@host:5672//."
        )
    host = parts.netloc.rpartition("@")[2]
    login = f"{parts.username}:{quote(password, safe='')}"
    return urlunsplit(parts._replace(netloc=f"{login}@{host}"))


def provide_model_key(values: Mapping[str, Any], environ: MutableMapping[str, str]) -> None:
    """The library takes the key of a language model from the environment: put one of a file there.

    The file is no longer named then: to processes that this one starts, both would be one too many.
    """
    if values["CONCORD_LLM_KEY"] and environ.pop("CONCORD_LLM_KEY_FILE", None):
        environ["CONCORD_LLM_KEY"] = values["CONCORD_LLM_KEY"]
