"""An authenticator app, and a clock for it and the site."""

import pytest
from django_otp.plugins.otp_totp import models

from tests.factories.second_step import App


@pytest.fixture
def app(monkeypatch):
    app = App()
    monkeypatch.setattr(models, "time", app)
    return app
