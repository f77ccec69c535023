"""The files that `manage.py serve` collects by itself: once a version, whoever starts beside it."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from survey_site.operations.static_files import collect_into


@pytest.fixture
def script(settings, tmp_path):
    """The one source of a small site."""
    settings.STATICFILES_DIRS = [tmp_path / "sources"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    path = tmp_path / "sources/page.js"
    path.parent.mkdir()
    path.write_text("first;")
    return path


def test_each_version_is_collected_once_and_outlives_the_start_of_the_next(script, tmp_path):
    folder, made = tmp_path / "collected", []
    for text in ("first;", "second;", "third;"):
        script.write_text(text)
        made.append(collect_into(folder))
        kept = files_of(made[-1])
        (folder / ".killed").mkdir()
        assert (collect_into(folder), files_of(made[-1])) == (made[-1], kept)
        assert [one.read_text() for one in made[-1].glob("page.????????????.js")] == [text]
        (folder / ".killed").rmdir()
    (folder / ".killed").mkdir()
    script.write_text("second;")  # the way back
    assert collect_into(folder) == made[1]
    script.write_text("fourth;")
    served = [made[1], collect_into(folder)]
    assert sorted(one for one in folder.iterdir() if one.is_dir()) == sorted(served)


def files_of(folder):
    """Which files they are, and when each was written."""
    return {one: (one.stat().st_ino, one.stat().st_mtime_ns) for one in folder.iterdir()}


def test_of_several_that_start_at_once_one_collects_for_all(script, tmp_path):
    folder = tmp_path / "collected"
    with ThreadPoolExecutor(4) as starts:
        made = list(starts.map(collect_into, [folder] * 4))
    assert [made[0]] * 4 == made
    assert sorted(one.name for one in folder.iterdir()) == sorted([made[0].name, "lock"])
