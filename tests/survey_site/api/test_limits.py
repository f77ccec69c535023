"""How often a token may ask: counted for each token, told in headers, and wrong tokens by address."""

import pytest

from tests.factories.api import Program, make_program

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _few(settings, monkeypatch):
    settings.CONCORD_API_REQUESTS = 2
    monkeypatch.setattr("survey_site.api.authentication.MINUTE", 10**9)  # no window ends while a test runs


def test_headers_say_how_many_are_left_until_none_is():
    program, other = make_program(), make_program()
    answers = [program.get("batches/") for _ in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]
    left = [one.headers["RateLimit"].split(";t=")[0] for one in answers[:2]]
    assert left == ['"token";r=1', '"token";r=0']
    assert {one.headers["RateLimit-Policy"] for one in answers} == {'"token";q=2;w=1000000000'}
    assert answers[2].headers["Content-Type"] == "application/problem+json"
    assert int(answers[2].headers["Retry-After"]) > 0
    assert other.get("batches/").status_code == 200


def test_tokens_are_not_guessed_for_long(monkeypatch):
    monkeypatch.setattr("survey_site.api.authentication.WRONG_TOKENS", 2)
    statuses = [Program(f"concord_{number}").get("batches/").status_code for number in range(3)]
    assert statuses == [401, 401, 429]
