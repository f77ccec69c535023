"""Settings of language models: all or none, and no message that could hold a key."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from survey_site.celery import app
from survey_site.settings.llm import llm_settings
from survey_site.settings.reading import read_settings

GOOD = {"CONCORD_LLM_URL": "https://models.example.org/v1/", "CONCORD_LLM_MODEL": "one, two"}


def settings_of(**environment):
    return llm_settings(read_settings(environment))


def test_several_models_of_one_server_are_named_with_commas():
    found = settings_of(**GOOD, CONCORD_LLM_PRICE_IN="0.5")
    assert (found["CONCORD_LLM_URL"], found["CONCORD_LLM_MODELS"]) == (
        "https://models.example.org/v1",
        ["one", "two"],
    )
    assert (found["CONCORD_LLM_PRICE_IN"], found["CONCORD_LLM_PRICE_OUT"]) == (0.5, None)


def test_without_settings_there_is_no_model():
    found = settings_of()
    assert (found["CONCORD_LLM_URL"], found["CONCORD_LLM_MODELS"]) == ("", [])


def test_the_key_is_no_setting_of_the_site():
    assert "sk-secret" not in str(settings_of(**GOOD, CONCORD_LLM_KEY="sk-secret"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"CONCORD_LLM_MODEL": ""}, "set CONCORD_LLM_MODEL, too"),
        ({"CONCORD_LLM_URL": ""}, "set CONCORD_LLM_URL, too"),
        ({"CONCORD_LLM_MODEL": "one,one"}, "names a model twice"),
        ({"CONCORD_LLM_URL": "ftp://models.example.org"}, "must begin with http"),
        ({"CONCORD_LLM_URL": "https://me:sk-secret@models.example.org"}, "neither user nor query"),
        ({"CONCORD_LLM_URL": "https://models.example.org/?key=sk-secret"}, "neither user nor query"),
        ({"CONCORD_LLM_URL": "https://models.example.org:sk-secret"}, "host or port cannot be read"),
        ({"CONCORD_LLM_CONCURRENT": "0"}, "from 1 to 256"),
        ({"CONCORD_LLM_PRICE_OUT": "-1"}, "must be a price"),
        ({"CONCORD_LLM_PRICE_IN": "nan"}, "must be a price"),
    ],
)
def test_what_cannot_be_is_said_when_the_site_starts(changed, said):
    with pytest.raises(ImproperlyConfigured, match=said) as refused:
        settings_of(**{**GOOD, **changed})
    assert "sk-secret" not in str(refused.value)


def test_each_queue_gets_its_own_tasks_alone():
    def key_of(task):
        return app.amqp.router.route({}, task)["queue"].routing_key

    assert [key_of("model_raters.execute_run"), key_of("reports.build_report")] == ["llm", "celery"]
    assert {queue.name: queue.exchange.name for queue in app.amqp.queues.consume_from.values()} == {
        "celery": "celery",
        "cpu": "cpu",
        "gpu": "gpu",
        "llm": "llm",
    }
