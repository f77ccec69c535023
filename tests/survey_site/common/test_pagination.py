"""paginate never fails on what stands in the address."""

import pytest

from survey_site.common.pagination import paginate


@pytest.mark.parametrize(
    ("query", "items"),
    [
        ({}, [0, 1]),
        ({"page": "2"}, [2, 3]),
        ({"page": "99"}, [4]),
        ({"page": "x"}, [0, 1]),
        ({"page": "-1"}, [4]),
    ],
)
def test_the_page_asked_for_or_the_nearest(rf, query, items):
    assert list(paginate(rf.get("/", query), range(5), per_page=2)) == items
