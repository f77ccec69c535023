"""An authenticator app with a clock for it and the site; and a provider of OpenID Connect."""

import pytest
from django_otp.plugins.otp_totp import models

from tests.factories.openid_provider import CLIENT, SECRET, running_provider
from tests.factories.second_step import App


@pytest.fixture
def app(monkeypatch):
    app = App()
    monkeypatch.setattr(models, "time", app)
    return app


@pytest.fixture
def provider(settings):
    with running_provider() as running:
        settings.CONCORD_OIDC_ISSUER = running.url
        settings.CONCORD_OIDC_CLIENT_ID, settings.CONCORD_OIDC_CLIENT_SECRET = CLIENT, SECRET
        settings.CONCORD_OIDC_NAME = "Campus"
        yield running
