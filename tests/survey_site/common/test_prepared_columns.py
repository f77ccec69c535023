"""Every kept statement makes of a row what the Django that is installed makes of it."""

from importlib import import_module
from itertools import product
from pathlib import Path

import pytest
from django.db.models import Model
from django.db.models.sql.compiler import SQLCompiler

import survey_site
from survey_site.batches.models import Batch
from survey_site.batches.queries import PlanOrder
from survey_site.common.prepared import Prepared, _parameters, prepared
from survey_site.survey.queries import _claimable_up_to
from survey_site.survey.rating.places import _lock_free, _Preference

pytestmark = pytest.mark.django_db


def kept_statements():
    """Those of all modules, and those that functions make."""
    folder = Path(survey_site.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        if "common.prepared import" in path.read_text():
            module = import_module(".".join(path.relative_to(folder.parent).with_suffix("").parts))
            yield from (one for one in vars(module).values() if isinstance(one, Prepared))
    yield _claimable_up_to(3)
    yield from (_lock_free(*one) for one in product(_Preference, [PlanOrder(None), PlanOrder(2)]))


@pytest.mark.parametrize("statement", [*kept_statements()], ids=lambda one: one._build.__qualname__)
def test_a_row_becomes_what_its_queryset_makes_of_it(statement, monkeypatch):
    own = len(statement._queryset.model._meta.concrete_fields)
    width = len(statement._compiler.select)
    full = tuple(range(1, width + 1))  # each value tells its column
    rows = [full, full[:own] + (None,) * (width - own)]  # and without what outer joins may lack
    monkeypatch.setattr(SQLCompiler, "execute_sql", lambda compiler, *_, **__: compiler.as_sql() and [rows])
    monkeypatch.setattr(SQLCompiler, "get_converters", lambda *_: {})
    asked = list(statement._build(**_parameters(statement._build)))
    assert [all_of(one) for one in statement._made(rows)] == [all_of(one) for one in asked]


def all_of(one, *, within=()):
    """The values of an object and of all that came with it, and where it refers back to what it came with."""
    if not isinstance(one, Model):
        return one
    if any(one is outer for outer in within):
        return type(one)
    state = one._state
    came = {name: all_of(other, within=(*within, one)) for name, other in state.fields_cache.items()}
    values = {name: value for name, value in vars(one).items() if name != "_state"}
    return type(one), state.db, state.adding, values, came


def test_what_leaves_columns_out_is_no_kept_statement():
    @prepared
    def names(batch):
        return Batch.objects.filter(pk=batch).only("name")

    with pytest.raises(TypeError, match=r"names has other columns than its models and annotations\."):
        names.made([(1, "one")])
