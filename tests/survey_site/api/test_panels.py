"""A panel's settings, personal links and what raters read in a language, by a program."""

import pytest

from survey_site.accounts.models import AuditEntry
from survey_site.batches.services import close_batch
from survey_site.corpus.models import Summary
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch

pytestmark = pytest.mark.django_db

PAIR = {"left": "Rain in Rome.", "right": "It rains in Rome.", "low": 5, "high": 6, "why": "The same news."}


@pytest.fixture
def program():
    return make_program()


def test_a_draft_is_set_up_for_a_panel_and_what_was_set_stays(program):
    batch = make_batch(launched=False)
    path = f"batches/{batch.pk}/participation/"
    program.ask("PATCH", path, {"limit": 3, "completed_code": "MINE"})
    made = program.post(f"{path}panel/", {"panel": "prolific"})
    settings = made.json()
    assert (settings["entry"], settings["limit"], settings["completed_code"]) == ("panel", 3, "MINE")
    assert (len(settings["no_place_code"]), made.headers["ETag"]) == (8, program.get(path).headers["ETag"])
    told = program.get(f"{path}panel/").json()
    assert "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID=" in told["address"]
    stale = program.post(f"{path}panel/", {"panel": "plain"}, If_Match='"other"')
    assert (stale.status_code, program.get(path).json()) == (412, settings)
    launched = make_batch()
    assert program.post(f"batches/{launched.pk}/participation/panel/", {"panel": "plain"}).status_code == 409


def test_personal_links_are_made_once_lead_in_and_are_written_down(program, client, admin_client):
    batch = make_batch()
    path = f"batches/{batch.pk}/participation/links/"
    for _ in range(2):
        assert program.post(path, {"count": 2}, Idempotency_Key="one").json() == {"invitations": 2}
    links = program.get(path).json()["links"]
    assert [one["number"] for one in links] == [1, 2]
    statuses = [client.get(one, follow=True).status_code for one in (links[0]["link"], links[0]["link"][:-2])]
    assert statuses == [200, 404]
    page = admin_client.get(f"/batches/{batch.pk}/participation/invitations.csv").content.decode()
    assert [one["link"] in page for one in links] == [True, True]
    assert AuditEntry.objects.filter(actor=program.user, action="personal links exported").exists()
    close_batch(batch=batch, now=NOW)
    assert program.post(path, {"count": 1}).status_code == 409


def test_texts_are_written_whole_or_not_at_all(program):
    batch = make_batch(launched=False, languages=["en", "ar"], scale="dissimilarity")
    path = f"batches/{batch.pk}/texts/ar/"
    first = program.get(path)
    wording = {"question": "ما مدى اختلاف النصين؟"}
    made = program.ask("PATCH", path, {"wording": wording, "examples": [PAIR]})
    assert (made.status_code, made.json()["examples"], made.json()["practice"]) == (200, [PAIR], [])
    assert made.json()["wording"]["question"] == wording["question"]
    text = Summary.objects.filter(document__corpus=batch.corpus).first().text
    body = {"wording": {"question": "؟"}, "practice": [{**PAIR, "left": text}]}
    assert program.ask("PATCH", path, body).status_code == 422
    assert program.get(path).json() == made.json()
    stale = program.ask("PATCH", path, {"examples": []}, headers={"If-Match": first.headers["ETag"]})
    assert stale.status_code == 412
    assert program.ask("PATCH", path, {"examples": []}).json()["examples"] == []
    assert program.ask("PATCH", f"batches/{batch.pk}/texts/en/", {"wording": wording}).status_code == 409
    assert program.get(f"batches/{batch.pk}/texts/fr/").status_code == 404
    launched = program.ask("PATCH", f"batches/{make_batch().pk}/texts/en/", {"examples": [PAIR]})
    assert launched.status_code == 409
