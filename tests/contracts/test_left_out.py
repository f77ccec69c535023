"""`python -m tests.left_out`, with which `make test` ends: what neither run of the tests could try."""

from tests.contracts.test_benchmarks import BENCHMARKS as FOLDER
from tests.left_out import BENCHMARKS, benchmarks, tell


def test_what_one_run_tried_is_not_left_out():
    on_sqlite = {
        "skipped": {"a": "needs PostgreSQL", "b": "no pdflatex", "c": "no pdflatex"},
        "tried": ["d"],
        "notes": ["Valkey stood in."],
    }
    on_postgresql = {"skipped": {"d": "needs SQLite"}, "tried": ["a"], "notes": ["Valkey stood in."]}
    assert tell([on_sqlite, on_postgresql]) == ["Valkey stood in.", "2 tests: no pdflatex"]


def test_every_benchmark_of_servers_is_named_with_what_is_run_of_it():
    """Those of the site, as commands; those of the statistics alone run small as functions."""
    texts = {path.stem: path.read_text() for path in FOLDER.glob("[a-z]*.py")}
    of_the_site = (name for name, text in texts.items() if "survey_site" in text and "def main(" in text)
    assert list(BENCHMARKS) == sorted(of_the_site)
    assert benchmarks()[0].startswith("- python -m tests.benchmarks.another_host: not run")
