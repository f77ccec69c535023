import pytest

from tests.factories.webhooks import receiving


@pytest.fixture
def receiver(settings):
    settings.CONCORD_WEBHOOK_HTTP = True
    settings.CONCORD_WEBHOOK_NETWORKS = ["127.0.0.0/8"]
    with receiving() as one:
        yield one
