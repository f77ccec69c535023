"""What the site asks of SQLite beyond its defaults."""

import sqlite3
from contextlib import closing

from survey_site.settings.base import database

ANSWER = "what somebody wrote and took back"


def test_what_is_deleted_is_nowhere_in_the_file(tmp_path):
    """Also where SQLite was built to mark its place as free and no more."""
    file = tmp_path / "site.sqlite3"
    with closing(sqlite3.connect(file)) as line:
        line.execute("PRAGMA secure_delete=OFF")
        line.executescript(database(None)["OPTIONS"]["init_command"])
        line.execute("CREATE TABLE answer (text)")
        line.executemany("INSERT INTO answer VALUES (?)", [(ANSWER,), ("kept",)])
        line.commit()
        line.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert ANSWER.encode() in file.read_bytes()
        line.execute("DELETE FROM answer WHERE text = ?", [ANSWER])
        line.commit()
    assert b"kept" in file.read_bytes()  # the last connection brings all into the file
    assert ANSWER.encode() not in file.read_bytes()
