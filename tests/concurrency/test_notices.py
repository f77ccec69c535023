"""Two workers find the same at the same moment: it is noted once."""

import pytest

from survey_site.notices.models import Notice, NoticeKind
from survey_site.notices.services import notify
from tests.factories.batches import NOW, make_batch

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_schema_lets_one_of_two_write_it(in_threads):
    batch = make_batch()

    def note():
        return notify(kind=NoticeKind.COMPLETE, batch=batch, key="2", now=NOW)

    results = in_threads(note, note)
    assert [type(one).__name__ for one in results if one is not None] == ["Notice"]
    assert Notice.objects.count() == 1
