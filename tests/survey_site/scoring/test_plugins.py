"""Plug-ins that the operator installed stand in forms beside the other measures."""

import pytest
from django.apps import apps

from meta_eval.measures.added import install_files
from meta_eval.measures.registry import make_measure
from survey_site.reports.forms import ReportForm
from tests.meta_eval.measures.test_plugins import CHRF_PLUGIN


@pytest.mark.django_db
def test_a_file_of_the_setting_is_a_measure_of_the_site(tmp_path, settings):
    path = tmp_path / "own.py"
    path.write_text(CHRF_PLUGIN, encoding="utf-8")
    settings.CONCORD_PLUGINS = [str(path)]
    apps.get_app_config("scoring").ready()
    try:
        choices = dict(ReportForm().fields["measures"].choices)
        assert choices["my-chrf"] == "chrF of sacreBLEU (my-chrf)"
        assert make_measure("my-chrf")("rain", "rain") == 0.0
    finally:
        install_files([])
    assert "my-chrf" not in dict(ReportForm().fields["measures"].choices)
