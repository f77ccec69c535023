"""Wrong passwords keep out who sends them. The owner gets in: from elsewhere, and where they were before."""

import ipaddress

import pytest
from axes.models import AccessAttempt
from django.core.management import call_command
from django.test import Client

from survey_site.accounts.lockout import NAME_LIMIT
from tests.factories.accounts import make_user

pytestmark = pytest.mark.django_db
LOG_IN, PASSWORD = "/accounts/login/", "a long password"
LET_IN, WRONG, PAUSED = 302, 200, 429
HOME, OFFICE = "198.51.100.7", "2001:db8:1:2::7"
STRANGERS = [f"203.0.{number}.9" for number in range(12)]


@pytest.fixture(autouse=True)
def ada(settings):
    settings.AXES_ENABLED = True
    return make_user(username="ada", password=PASSWORD)


def send(address, typed="wrong", client=None, name="ada"):
    form = {"username": name, "password": typed}
    return (client or Client()).post(LOG_IN, form, REMOTE_ADDR=address)


def guess(address, times, **more):
    return [send(address, **more).status_code for _ in range(times)]


def guess_from_many_networks():
    """Until the name itself is closed."""
    for address in STRANGERS:
        guess(address, 10)


def test_ten_wrong_passwords_pause_their_sender_and_not_the_owner():
    assert guess(HOME, 12) == [WRONG] * 9 + [PAUSED] * 3
    paused = send(HOME, PASSWORD)
    assert (paused.status_code, "paused for 15 minutes" in paused.content.decode()) == (PAUSED, True)
    assert send(OFFICE, PASSWORD).status_code == LET_IN


def test_one_sender_who_goes_on_for_ever_keeps_nobody_else_out():
    guess(HOME, 3 * NAME_LIMIT)
    assert send(OFFICE, PASSWORD).status_code == LET_IN


def test_many_networks_close_a_name_to_all_but_the_browsers_that_it_knows():
    known, of_another = Client(), Client()
    make_user(username="eve", password=PASSWORD)
    assert send(HOME, PASSWORD, known).status_code == LET_IN
    assert send(HOME, PASSWORD, of_another, "eve").status_code == LET_IN
    for client in (known, of_another):
        client.post("/accounts/logout/")
    guess_from_many_networks()
    assert send(HOME, PASSWORD).status_code == PAUSED
    assert send(HOME, PASSWORD, of_another).status_code == PAUSED
    assert send(HOME, PASSWORD, of_another, "eve").status_code == LET_IN
    assert send(STRANGERS[0], PASSWORD, known).status_code == LET_IN


def test_a_browser_that_is_known_may_guess_no_longer_than_others():
    known = Client()
    send(HOME, PASSWORD, known)
    known.post("/accounts/logout/")
    assert guess(HOME, 11, client=known) == [WRONG] * 9 + [PAUSED] * 2
    assert send(HOME, PASSWORD, known).status_code == PAUSED
    assert send(HOME, PASSWORD).status_code == LET_IN


def test_a_forged_cookie_makes_no_browser_known():
    forged = Client()
    forged.cookies["known-browser"] = "WzEsImEiXQ:1xXZ8l:bJhSOKQ-wDeTcM56bq_ijCYGIuc17V1UP3q6PqeOA_M"
    guess_from_many_networks()
    assert send(HOME, PASSWORD, forged).status_code == PAUSED


def test_addresses_of_one_network_in_version_6_are_one_sender():
    guess("2001:db8:1:2::7", 5)
    assert guess("2001:db8:1:2:ffff::9", 6) == [WRONG] * 4 + [PAUSED] * 2
    assert send("2001:db8:1:3::7", PASSWORD).status_code == LET_IN


def test_no_address_is_stored():
    for address in (HOME, OFFICE):
        guess(address, 1)
    stored = [ipaddress.ip_address(one) for one in AccessAttempt.objects.values_list("ip_address", flat=True)]
    assert len(stored) == 2
    assert all(one in ipaddress.ip_network("fd00::/112") for one in stored)  # 16 bits, of a keyed hash


def test_the_command_of_the_documentation_lets_everybody_in_again():
    guess_from_many_networks()
    call_command("axes_reset_username", "ada")
    assert send(STRANGERS[0], PASSWORD).status_code == LET_IN
