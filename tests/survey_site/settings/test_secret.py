"""The secret key of one machine: made once, private, and never made elsewhere."""

import os
import stat
import subprocess
import sys

import pytest
from django.conf import settings

from survey_site.settings.reading import read_settings
from survey_site.settings.secret import NO_KEY, prepare_installation, read_local_secret_key


@pytest.fixture
def data_dir(tmp_path):
    return tmp_path / "a" / "var"


def prepare(data_dir, **environ):
    prepare_installation(read_settings({"CONCORD_DATA_DIR": str(data_dir)} | environ))


def test_a_key_is_made_once_and_kept(data_dir):
    prepare(data_dir)
    key = read_local_secret_key(data_dir)
    prepare(data_dir)
    assert len(key) >= 50
    assert read_local_secret_key(data_dir) == key


def test_only_its_owner_may_read_it(data_dir):
    prepare(data_dir)
    assert stat.S_IMODE((data_dir / "secret-key").stat().st_mode) == 0o600


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_only_its_owner_may_look_into_the_folder(data_dir):
    prepare(data_dir)
    assert mode_of(data_dir) == 0o700


def test_a_folder_that_was_made_for_all_to_read_is_closed(data_dir):
    data_dir.mkdir(parents=True)
    data_dir.chmod(0o755)
    prepare(data_dir)
    assert (mode_of(data_dir), mode_of(data_dir.parent) & 0o005) == (0o700, 0o005)


def test_nothing_else_is_left_in_the_folder(data_dir):
    prepare(data_dir)
    assert [path.name for path in data_dir.iterdir()] == ["secret-key"]


def test_two_installations_have_two_keys(data_dir, tmp_path):
    prepare(data_dir)
    prepare(tmp_path / "other")
    assert read_local_secret_key(data_dir) != read_local_secret_key(tmp_path / "other")


def test_no_key_is_made_where_one_is_given(data_dir):
    prepare(data_dir, SECRET_KEY="set by hand")
    assert list(data_dir.iterdir()) == []


def load_settings(data_dir, module, code, **environ):
    """Import the settings in a process of its own, as the first process of an installation does."""
    environ = {"CONCORD_DATA_DIR": str(data_dir), "DJANGO_SETTINGS_MODULE": module} | environ
    return subprocess.run(
        [sys.executable, "-c", f"from django.conf import settings; {code}"],
        cwd=settings.BASE_DIR,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("code", ["import survey_site.wsgi", "import survey_site.asgi", "import manage"])
def test_the_very_first_process_has_its_key(data_dir, code):
    done = load_settings(data_dir, "survey_site.settings", f"{code}; print(settings.SECRET_KEY)")
    assert done.stderr == ""
    assert done.stdout.strip() == read_local_secret_key(data_dir) != ""


def test_test_settings_write_nothing(data_dir):
    done = load_settings(data_dir, "survey_site.settings.test", "print(settings.SECRET_KEY != '')")
    assert (done.stdout, data_dir.exists()) == ("True\n", False)


POSTGRES = "postgres://ada@127.0.0.1:9/concord"
ENTRIES = {
    "web server": ["gunicorn", "survey_site.wsgi", "--bind", "127.0.0.1:0"],
    "wsgi": ["survey_site.wsgi"],
    "asgi": ["survey_site.asgi"],
    "worker": ["celery", "--app", "survey_site", "worker"],
    "serve": ["manage", "serve"],
    "demo": ["manage", "demo"],
    "migrate": ["manage", "migrate"],
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_database_of_several_machines_without_a_key_starts_nothing(data_dir, entry):
    """Nobody answers at that address: what goes on without a key fails with other words, or serves."""
    done = subprocess.run(
        [sys.executable, "-m", *ENTRIES[entry]],
        cwd=settings.BASE_DIR,
        env={"PATH": os.environ["PATH"], "CONCORD_DATA_DIR": str(data_dir), "DATABASE_URL": POSTGRES},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode != 0
    assert NO_KEY in done.stderr
    assert list(data_dir.iterdir()) == []


def test_a_key_that_is_kept_goes_along_to_another_database(data_dir):
    prepare(data_dir)
    prepare(data_dir, DATABASE_URL=POSTGRES)
