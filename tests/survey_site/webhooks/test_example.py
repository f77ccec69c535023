"""The ten lines of docs/webhooks.md, as they stand there, on what a real server received."""

import re
from pathlib import Path

import pytest
from django.utils import timezone

from survey_site.webhooks.delivering import deliver
from survey_site.webhooks.services import send_test
from survey_site.webhooks.signing import secret_of
from tests.factories.webhooks import make_webhook

PAGE = Path(__file__).parents[3] / "docs" / "webhooks.md"


@pytest.mark.django_db
def test_the_example_tells_ours_from_others(receiver):
    names = {}
    [code] = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL)
    exec(code, names)  # noqa: S102
    is_genuine = names["is_genuine"]
    endpoint = make_webhook(receiver.address)
    send_test(endpoint=endpoint, by=endpoint.owner, now=timezone.now())
    deliver(clock=timezone.now)
    [(headers, body)] = receiver.came
    secret = secret_of(endpoint)
    assert is_genuine(secret, headers, body)
    assert not is_genuine(secret, headers, body + b" ")
    assert not is_genuine(secret.swapcase().replace("WHSEC_", "whsec_"), headers, body)
    old = {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) - 400)}
    assert not is_genuine(secret, old, body)
