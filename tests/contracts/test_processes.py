"""What a running process may hold, and that the schema and its migrations agree."""

import os
import subprocess
import sys

import pytest
from django.core.management import call_command


def imported(statement: str) -> set[str]:
    """Names of the modules a fresh process holds after a statement."""
    code = f"import sys; {statement}; print(*sys.modules, sep='\\n')"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "survey_site.settings.test"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return set(done.stdout.split())


def test_the_web_process_loads_no_torch():
    held = imported(
        "import survey_site.wsgi; from django.urls import get_resolver; get_resolver().url_patterns"
    )
    assert {"django", "survey_site.urls"} <= held
    assert {"torch", "transformers"} & held == set()


def test_the_command_line_loads_neither_torch_nor_django():
    held = imported("import meta_eval.cli")
    assert "meta_eval.cli" in held
    assert {"torch", "transformers", "django", "celery"} & held == set()


def test_the_help_of_a_report_loads_nothing_that_computes_one():
    held = imported("import meta_eval.cli.report")
    assert "meta_eval.report.options" in held
    assert {"pandas", "scipy.special", "scipy.sparse", "meta_eval.publish.files"} & held == set()


def test_what_draws_is_loaded_where_figures_are_asked_for():
    held = imported("import meta_eval.cli.report, meta_eval.publish.files")
    assert "meta_eval.publish.files" in held
    assert {"altair", "vl_convert", "typst"} & held == set()


def test_who_asks_for_a_pdf_does_not_keep_the_compiler_and_what_it_remembers():
    held = imported(
        "from meta_eval.publish.pdf_page import Page; page = Page('A'); page.section('B', ['C']);"
        " assert page.as_bytes().startswith(b'%PDF-')"
    )
    assert "meta_eval.publish.pdf_page" in held
    assert "typst" not in held


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_the_deployment_check_finds_nothing():
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "DJANGO_SETTINGS_MODULE": "survey_site.settings",
        "SECRET_KEY": "a-key-of-more-than-fifty-characters-0123456789-abcdefghijklmnopqrstuvwxyz",
        "CONCORD_HTTPS": "true",
        "ALLOWED_HOSTS": "survey.example.org",
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout + done.stderr) == (
        0,
        "System check identified no issues (2 silenced).\n",
    )
