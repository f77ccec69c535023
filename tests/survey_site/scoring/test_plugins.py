"""Plug-ins that the operator installed stand beside the other measures; a broken one stops nothing."""

import logging

import pytest
from django.apps import apps

from meta_eval.errors import MeasureError
from meta_eval.measures.added import install_files
from meta_eval.measures.registry import make_measure
from survey_site.operations.doctor import Finding, State, examine
from survey_site.reports.forms import ReportForm
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.apps import PLUGIN_ACTION
from survey_site.scoring.services import execute_run, request_automatic
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.meta_eval.measures.test_plugins import CHRF_PLUGIN

pytestmark = pytest.mark.django_db


@pytest.fixture
def start(settings):
    """Begin the site with these plug-in files."""

    def begin(*paths):
        settings.CONCORD_PLUGINS = list(map(str, paths))
        apps.get_app_config("scoring").ready()

    yield begin
    install_files([])


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(CHRF_PLUGIN, encoding="utf-8")
    return path


def test_a_file_of_the_setting_is_a_measure_of_the_site(own, start):
    start(own)
    choices = dict(ReportForm(user=make_user()).fields["measures"].choices)
    assert choices["my-chrf"] == "chrF of sacreBLEU (my-chrf)"
    assert make_measure("my-chrf")("rain", "rain") == 0.0
    start()
    install_files([])
    assert "my-chrf" not in dict(ReportForm(user=make_user()).fields["measures"].choices)


def refusals(tmp_path):
    """Files that give no measure, and why."""
    contents = {
        "typo.py": (
            "import nothing_of_that_name",
            "ModuleNotFoundError: No module named 'nothing_of_that_name'",
        ),
        "ends.py": ("raise SystemExit(3)", "SystemExit: 3"),
        "odd.py": (
            "class Odd:\n    name = 'odd'\n    libraries = 3\n    def distance(self, reference, "
            "candidate): return 0\n",
            "its `libraries` must be texts in brackets",
        ),
        "rouge.py": (
            CHRF_PLUGIN.replace("my-chrf", "rouge-l"),
            "'rouge-l' is the name of a measure of this package",
        ),
    }
    for name, (content, reason) in contents.items():
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        yield path, reason
    yield tmp_path / "gone.py", f"Plug-in {tmp_path / 'gone.py'} cannot be read: No such file or directory."


def test_files_that_cannot_be_used_are_passed_over_and_said_once(own, start, tmp_path, caplog, client):
    broken = dict(refusals(tmp_path))
    caplog.set_level(logging.ERROR)
    start(*broken, own)
    said = [one.getMessage() for one in caplog.records]
    assert len(said) == len(broken)
    for message, (path, reason) in zip(said, broken.items(), strict=True):
        assert str(path) in message
        assert reason in message
        assert message.endswith(PLUGIN_ACTION)
    assert "my-chrf" in dict(ReportForm(user=make_user()).fields["measures"].choices)
    assert client.get(f"/s/{make_batch().token}/").status_code == 200
    assert len(caplog.records) == len(broken)


def test_the_doctor_names_the_file_and_the_reason(own, start, tmp_path):
    start(own, tmp_path / "gone.py")
    reason = f"Plug-in {tmp_path / 'gone.py'} cannot be read: No such file or directory."
    assert [one for one in examine(now=lambda: NOW) if one.subject == "plug-ins"] == [
        Finding("plug-ins", State.FAULT, reason, PLUGIN_ACTION),
        Finding("plug-ins", State.FINE, "my-chrf can be computed."),
    ]


def test_a_run_of_a_measure_whose_file_broke_says_so(own, start):
    start(own)
    choice = MeasureChoice(spec="my-chrf")
    run = request_automatic(corpus_row=make_corpus(), choice=choice, now=NOW)
    own.write_text("import nothing_of_that_name", encoding="utf-8")
    start(own)
    why = f"Not loaded: Plug-in {own} cannot be loaded: ModuleNotFoundError"
    with pytest.raises(MeasureError, match="There is no measure 'my-chrf'"):
        request_automatic(corpus_row=run.corpus, choice=choice, now=NOW)
    run = execute_run(run=run, clock=lambda: NOW)
    assert run.is_failed
    assert "There is no measure 'my-chrf'" in run.error
    assert why in run.error
