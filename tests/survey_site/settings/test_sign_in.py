"""Settings of how people log in: what does not fit is refused when the site starts."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from survey_site.settings.reading import read_settings
from survey_site.settings.sign_in import openid_settings, second_step_required_of


def test_a_setting_that_is_none_of_the_choices_is_refused():
    assert second_step_required_of({"CONCORD_REQUIRE_SECOND_STEP": "admins"}) == "admins"
    with pytest.raises(ImproperlyConfigured, match="must be one of: none, admins, all"):
        second_step_required_of({"CONCORD_REQUIRE_SECOND_STEP": "some"})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ISSUER": "https://a.example"}, "CONCORD_OIDC_CLIENT_ID must be set"),
        ({"ISSUER": "http://a.example", "CLIENT_ID": "x"}, "must begin with https://"),
        ({"TOKEN_URL": "https://a.example"}, "Set all of"),
        ({"NEW_ROLE": "admin"}, "must be one of: none, auditor, researcher"),
    ],
)
def test_settings_that_do_not_fit_are_refused(given, said):
    values = read_settings({f"CONCORD_OIDC_{name}": value for name, value in given.items()})
    with pytest.raises(ImproperlyConfigured, match=said):
        openid_settings(values)


def test_a_provider_on_the_same_machine_needs_no_tls():
    given = {"CONCORD_OIDC_ISSUER": "http://127.0.0.1:8080", "CONCORD_OIDC_CLIENT_ID": "x"}
    assert openid_settings(read_settings(given))["CONCORD_OIDC_ISSUER"] == given["CONCORD_OIDC_ISSUER"]
