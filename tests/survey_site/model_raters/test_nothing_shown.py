"""A site without a model: no page of it speaks of one, wherever an admin goes."""

import html
import re

import pytest
from django.urls import reverse

from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db

SPOKEN = re.compile(
    r"language model|/models/|models? as raters?|model rate|models beside people|alternative annotator"
    r"|mixed survey|judge pairs",
    re.IGNORECASE,
)
NO_PAGE = re.compile(r"\.\w+$|\?|^/(static|api|admin|help)/|/precision/$")
"""Files, other views of one page, the manual, which says how a model is configured, and a slow page."""
LEAST, MOST = 30, 200


def walk(client, start):
    """Every page to which links lead from `start`, by address."""
    found, waiting = {}, [start]
    while waiting and len(found) < MOST:
        address = waiting.pop(0)
        answer = client.get(address, follow=True)
        is_page = answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html")
        found[address] = html.unescape(answer.content.decode()) if is_page else ""
        links = dict.fromkeys(re.findall(r'href="(/[^"#]*)', found[address]))
        waiting += [link for link in links if not (link in found or link in waiting or NO_PAGE.search(link))]
    return found


def test_no_page_speaks_of_a_model_where_none_is_configured(admin_client):
    make_report(batch=make_rated_batch())
    pages = walk(admin_client, reverse("batches:list"))
    assert {reverse("reports:new"), reverse("operations:status"), reverse("accounts:tokens")} <= set(pages)
    assert LEAST < len(pages) < MOST
    spoken = {address: sorted(set(SPOKEN.findall(text))) for address, text in pages.items()}
    assert {address: words for address, words in spoken.items() if words} == {}


def test_where_one_is_configured_tokens_and_status_name_it(admin_client, settings):
    settings.CONCORD_LLM_MODELS = ["judge-1"]
    found = [
        "anguage model" in admin_client.get(reverse(name)).content.decode()
        for name in ("accounts:tokens", "operations:status")
    ]
    assert found == [True, True]
