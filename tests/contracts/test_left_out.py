"""`python -m tests.left_out`, with which `make test` ends: what neither run of the tests could try."""

from tests.left_out import tell


def test_what_one_run_tried_is_not_left_out():
    on_sqlite = {
        "skipped": {"a": "needs PostgreSQL", "b": "no pdflatex", "c": "no pdflatex"},
        "tried": ["d"],
        "notes": ["Valkey stood in."],
    }
    on_postgresql = {"skipped": {"d": "needs SQLite"}, "tried": ["a"], "notes": ["Valkey stood in."]}
    assert tell([on_sqlite, on_postgresql]) == ["Valkey stood in.", "2 tests: no pdflatex"]
