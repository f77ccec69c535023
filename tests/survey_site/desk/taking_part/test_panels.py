"""Setting a batch up for a panel: what is filled in, what stays, and the address that lets people in."""

import html
import re
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from survey_site.batches.services import launch_batch
from survey_site.desk.taking_part.forms import CARDS, FOR_PANELS, ParticipationForm
from survey_site.survey.models import Participation
from survey_site.survey.people.panels import MADE_UP, PANELS, make_panel_code, study_address
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from tests.factories.batches import NOW, make_batch

LINK = "https://survey.example/s/token/"


@pytest.fixture
def draft(db):
    return make_batch(launched=False)


def page_of(batch, panel=""):
    address = reverse("batches:participation", args=[batch.pk])
    return f"{address}?panel={panel}" if panel else address


def form_of(client, batch, panel):
    form = client.get(page_of(batch, panel)).context["settings_form"]
    return {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}


def save(client, batch, values):
    sent = {name: value for name, value in values.items() if value not in (None, "", False)}
    return client.post(reverse("batches:change-participation", args=[batch.pk]), sent)


def test_every_setting_stands_on_one_card():
    placed = [name for card in CARDS for name in card.fields]
    assert sorted(placed) == sorted(ParticipationForm.base_fields)
    assert set(placed) >= FOR_PANELS


def test_prolific_is_filled_in_saved_and_lets_people_in(admin_client, draft):
    values = form_of(admin_client, draft, "prolific")
    assert not Participation.objects.exists()
    assert (values["entry"], values["panel_parameter"], values["limit"]) == ("panel", "PROLIFIC_PID", 1)
    assert values["return_address"] == "https://app.prolific.com/submissions/complete?cc={code}"
    codes = [values[name] for name in MADE_UP]
    assert len({code for code in codes if re.fullmatch(r"[A-Z2-9]{8}", code)}) == 3
    assert save(admin_client, draft, values).status_code == 302
    assert [getattr(Participation.objects.get(), name) for name in MADE_UP] == codes
    launch_batch(batch=draft, now=NOW)
    for page in (page_of(draft), draft.get_absolute_url()):
        text = html.unescape(admin_client.get(page).content.decode())
        address = re.search(r'value="([^"]+)"[^>]*data-copy-source', text).group(1)
        assert address.endswith(
            f"/s/{draft.token}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&STUDY_ID={{{{%STUDY_ID%}}}}"
            "&SESSION_ID={{%SESSION_ID%}}"
        )
    person = address.replace("{{%PROLIFIC_PID%}}", "5f3c").replace("{{%STUDY_ID%}}", "s")
    parts = urlsplit(person.replace("{{%SESSION_ID%}}", "t"))
    entered = Client().get(f"{parts.path}?{parts.query}", follow=True)
    assert (entered.status_code, "I agree: start" in entered.content.decode()) == (200, True)


def test_codes_and_a_limit_that_are_there_stay(admin_client, draft):
    settings = ParticipationSettings(entry="panel", completed_code="MINE", limit=3)
    save_participation(batch=draft, settings=settings, now=NOW)
    values = form_of(admin_client, draft, "prolific")
    assert (values["completed_code"], values["limit"]) == ("MINE", 3)
    assert len(values["no_place_code"]) == 8


@pytest.mark.parametrize("panel", PANELS)
def test_no_link_without_the_ids_is_shown_until_the_set_up_is_saved(admin_client, draft, panel):
    values = form_of(admin_client, draft, panel)
    refused = save(admin_client, draft, values | {"limit": "none"})
    for page in (admin_client.get(page_of(draft, panel)), refused):
        assert draft.token not in page.content.decode()
    save(admin_client, draft, values)
    assert study_address(f"/s/{draft.token}/", Participation.objects.get()) in html.unescape(
        admin_client.get(page_of(draft)).content.decode()
    )


@pytest.mark.parametrize(("panel", "parameter"), [("cloudresearch", "participantId"), ("plain", "id")])
def test_other_panels_have_their_parameter_and_no_codes_of_ours(admin_client, draft, panel, parameter):
    values = form_of(admin_client, draft, panel)
    assert (values["entry"], values["panel_parameter"], values["completed_code"]) == ("panel", parameter, "")
    assert save(admin_client, draft, values).status_code == 302


@pytest.mark.parametrize(
    ("entry", "parameter", "end"),
    [
        ("open", "PROLIFIC_PID", ""),
        ("invitation", "PROLIFIC_PID", ""),
        ("panel", "participantId", ""),
        ("panel", "id", "?id="),
        ("panel", "person", "?person="),
    ],
)
def test_the_address_for_a_panel(entry, parameter, end):
    assert study_address(LINK, Participation(entry=entry, panel_parameter=parameter)) == LINK + end


@pytest.mark.django_db
def test_a_launched_batch_is_set_up_for_nothing_else(admin_client):
    batch = make_batch()
    response = admin_client.get(page_of(batch, "prolific"))
    assert (response.context["panel"], "Set up for" in response.content.decode()) == (None, False)


def test_every_panel_is_offered_and_an_unknown_one_changes_nothing(admin_client, draft):
    page = admin_client.get(page_of(draft, "nobody"))
    offered = re.findall(r'href="\?panel=(\w+)#who-title"', page.content.decode())
    assert (offered, page.context["panel"]) == (list(PANELS), None)


def test_codes_differ():
    assert len({make_panel_code() for _ in range(50)}) == 50
