"""In Django's admin a corpus can be looked at, not changed."""

import pytest
from django.contrib import admin
from django.urls import reverse

from survey_site.accounts.models import User
from survey_site.corpus.models import Corpus, Document, Reader, Reference, Summary, System
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db
MODELS = (Corpus, Document, Reader, Reference, Summary, System)


@pytest.fixture
def superuser_client(client):
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.mark.parametrize("model", MODELS)
def test_rows_are_listed_and_shown(superuser_client, model):
    make_corpus(documents=1, readers=1, systems=1)
    row = model.objects.get()
    name = model._meta.model_name
    assert superuser_client.get(reverse(f"admin:corpus_{name}_changelist")).context["cl"].result_count == 1
    page = superuser_client.get(reverse(f"admin:corpus_{name}_change", args=[row.pk])).content.decode()
    assert str(row) in page
    assert 'name="_save"' not in page


@pytest.mark.parametrize("model", MODELS)
def test_nothing_is_added_changed_or_deleted(rf, model):
    page = admin.site.get_model_admin(model)
    request = rf.get("/")
    request.user = User(is_superuser=True)
    allowed = (page.has_add_permission, page.has_change_permission, page.has_delete_permission)
    assert [allows(request) for allows in allowed] == [False, False, False]
    assert page.has_view_permission(request) is True
