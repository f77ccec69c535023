"""What the instructions say beside an admin's own words."""

import pytest

from tests.factories.batches import make_batch
from tests.survey_site.survey.pages.test_pages import start, url

REPEATS = "The same two texts may come more than once on a page"


@pytest.mark.django_db
def test_raters_are_told_that_equal_pairs_may_come_again(client):
    batch = make_batch(instructions="Read both.")
    for address in (url("join", batch), start(client, batch).url):
        instructions = client.get(address).content.decode().split("Read both.", 1)[1]
        assert REPEATS in instructions.split('class="examples"', 1)[0]
