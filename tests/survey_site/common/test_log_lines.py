"""Each line says which request or job it is about; as JSON it stays one object, whatever it holds."""

import io
import json
import logging
import re
from threading import Thread
from uuid import uuid4

import pytest
from celery import shared_task

from survey_site.celery import app
from survey_site.common.log_lines import (
    IdsFilter,
    JsonFormatter,
    TextFormatter,
    about,
    in_this_context,
    request_id,
)
from survey_site.reports.tasks import build_report_task
from survey_site.settings.logs import logging_settings

log = logging.getLogger("survey_site.example")


@pytest.fixture
def written():
    """What a handler like the site's writes, by its formatter."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(IdsFilter())
    level = log.level
    log.setLevel("INFO")
    log.addHandler(handler)

    def write(formatter, act):
        handler.setFormatter(formatter)
        act()
        return stream.getvalue()

    yield write
    log.setLevel(level)
    log.removeHandler(handler)


def say_inside():
    with about(request="abc"), about(report=3):
        log.info("built")
    log.info("alone")


def test_a_line_for_people_ends_with_its_ids(written):
    lines = written(TextFormatter(), say_inside).splitlines()
    assert [line.partition("INFO ")[2] for line in lines] == [
        "survey_site.example built [request=abc report=3]",
        "survey_site.example alone",
    ]


def test_a_line_for_programs_is_one_object(written):
    def fail():
        try:
            int("a\nb")
        except ValueError:
            log.exception('two\nlines of "%s"', "text", extra={"fields": {"status": 500}})

    text = written(JsonFormatter(), fail)
    assert text.count("\n") == 1
    line = json.loads(text)
    assert line.pop("traceback").endswith(r"invalid literal for int() with base 10: 'a\nb'")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert line == {
        "level": "ERROR",
        "logger": "survey_site.example",
        "message": 'two\nlines of "text"',
        "status": 500,
    }


def test_a_thread_goes_on_with_the_ids_of_who_began_it(written):
    def begin():
        with about(report=3):
            thread = Thread(target=in_this_context(log.info), args=("beat %s", 1))
        thread.start()
        thread.join()

    assert written(TextFormatter(), begin).endswith("beat 1 [report=3]\n")


@pytest.mark.parametrize("sent", ["f" * 16, "0a-1b_2c.3d", "a" * 64])
def test_the_id_that_a_proxy_gives_is_kept(sent):
    assert request_id(sent) == sent


@pytest.mark.parametrize(
    "sent", [None, "", "short", "a" * 65, "two\nlines-of-it", "with spaces in", "ü" * 10]
)
def test_another_id_is_made_where_the_header_holds_none_that_can_be_logged(sent):
    assert re.fullmatch(r"[0-9a-f]{16}", request_id(sent))


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/accounts/login/", "/health/alive/", "/nothing/here/"])
def test_every_answer_brings_the_id_of_its_lines(client, path, caplog):
    with caplog.filtering(IdsFilter()), caplog.at_level("INFO", logger="survey_site.requests"):
        sent = client.get(path, headers={"x-request-id": "from-the-proxy-1"})
    assert sent.headers["X-Request-ID"] == "from-the-proxy-1"
    lines = [one.ids for one in caplog.records if one.name == "survey_site.requests"]
    assert lines == [{"request": "from-the-proxy-1"}] * (path != "/health/alive/")
    assert client.get(path).headers["X-Request-ID"] != client.get(path).headers["X-Request-ID"]


@shared_task(name="tests.say")
def say(row_id):
    log.info("at work on %s", row_id)


def test_each_line_of_a_task_has_the_task_and_the_job(written):
    def work():
        say.apply(task_id="t-1", args=(7,))
        log.info("after")

    first, second = written(TextFormatter(), work).splitlines()
    assert first.endswith("at work on 7 [task=t-1 job=tests.say 7]")
    assert second.endswith("after")


def test_a_task_takes_along_which_request_asked_for_it():
    """What a worker makes of it: tests/survey_site/reports/test_worker.py."""
    queue_name = f"tests.{uuid4().hex}"  # its own: other tests leave messages in theirs
    with about(request="from-the-proxy-1"):
        say.apply_async((7,), queue=queue_name)
    with app.connection_for_read() as broker:
        queue = broker.SimpleQueue(queue_name)
        message = queue.get(timeout=10)
        message.ack()
    assert message.headers["request_of"] == "from-the-proxy-1"


@pytest.mark.django_db
def test_a_report_that_is_gone_is_said_with_its_job(caplog):
    with caplog.filtering(IdsFilter()):
        build_report_task.apply(args=(0,), task_id="t-2")
    (line,) = [one for one in caplog.records if "is gone" in one.getMessage()]
    assert line.ids == {"task": "t-2", "job": "reports.build_report 0"}


def test_another_form_of_log_is_refused():
    with pytest.raises(Exception, match="CONCORD_LOG_FORMAT='xml' must be one of: text, json"):
        logging_settings({"CONCORD_LOG_FORMAT": "xml", "LOG_LEVEL": "INFO"})
