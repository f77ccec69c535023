"""Tokens of programs: what they may do, when they end, and that nobody can read one again."""

from datetime import timedelta

import pytest
from django.test import Client

from survey_site.accounts.models import ApiToken, AuditEntry
from survey_site.accounts.permissions import Role, Scope, scopes_of
from survey_site.accounts.services import change_role, close_account
from survey_site.accounts.tokens import (
    MOST_TOKENS,
    find_token,
    make_token,
    open_tokens,
    require_scope,
    revoke_token,
)
from survey_site.common.errors import ConflictError, InvalidInputError, NotAllowedError
from tests.factories.accounts import make_user
from tests.factories.batches import NOW

pytestmark = pytest.mark.django_db


def token_of(user, *scopes, days=10):
    return make_token(user=user, name="notebook", scopes=scopes or ["read"], days=days, now=NOW)


def test_the_secret_opens_its_own_token_and_stands_nowhere(researcher):
    made = token_of(researcher)
    assert find_token(made.secret, now=NOW) == made.token
    assert find_token(made.secret[:-1], now=NOW) is None
    row = ApiToken.objects.values_list().get()
    entry = AuditEntry.objects.values_list().get()
    assert (made.secret[:8], made.secret in str([row, entry])) == ("concord_", False)


@pytest.mark.parametrize(("days", "works"), [(9, True), (10, False)])
def test_a_token_ends_when_its_time_is_over(researcher, days, works):
    made = token_of(researcher)
    assert bool(find_token(made.secret, now=NOW + timedelta(days=days))) is works


def test_a_revoked_token_lets_nobody_in(researcher):
    made = token_of(researcher)
    revoke_token(token=made.token, by=researcher, now=NOW)
    revoke_token(token=made.token, by=researcher, now=NOW + timedelta(hours=1))
    assert find_token(made.secret, now=NOW) is None
    assert [entry.action for entry in AuditEntry.objects.all()] == ["API token revoked", "API token made"]


@pytest.mark.parametrize(
    ("role", "scopes"),
    [
        (Role.AUDITOR, ["read", "ratings", "audit"]),
        (Role.RESEARCHER, ["read", "ratings", "corpora", "reports", "webhooks", "remove"]),
        (Role.ADMIN, list(Scope)),
    ],
)
def test_a_role_bounds_the_scopes(role, scopes):
    user = make_user(role=role)
    assert scopes_of(role) == scopes
    assert token_of(user, *scopes).token.scopes == scopes
    for beyond in set(Scope) - set(scopes):
        with pytest.raises(InvalidInputError):
            token_of(user, beyond)


def test_what_the_role_loses_the_token_loses(admin, researcher):
    reads, imports = token_of(researcher), token_of(researcher, "read", "corpora")
    change_role(user=researcher, role="auditor", by=admin, now=NOW)
    assert list(open_tokens(researcher, NOW)) == [reads.token]
    assert AuditEntry.objects.get(action="role changed").detail["API tokens revoked"] == 1
    imports.token.user.refresh_from_db()
    with pytest.raises(NotAllowedError, match="Your role, auditor"):
        require_scope(imports.token, Scope.CORPORA)


def test_a_token_without_the_scope_may_not_though_its_owner_may(admin):
    with pytest.raises(NotAllowedError, match="does not have the scope “batches”"):
        require_scope(token_of(admin).token, Scope.BATCHES)


def test_a_closed_account_has_no_token(admin, researcher):
    made = token_of(researcher)
    close_account(user=researcher, by=admin, now=NOW)
    assert find_token(made.secret, now=NOW) is None
    assert list(open_tokens(researcher, NOW)) == []


def test_the_last_use_is_written_at_most_once_a_minute(researcher):
    made = token_of(researcher)
    for seconds in (0, 59, 60, 61):
        find_token(made.secret, now=NOW + timedelta(seconds=seconds))
        made.token.refresh_from_db()
        assert made.token.used_at == NOW + timedelta(seconds=60 * (seconds >= 60))


def test_nobody_has_more_tokens_than_they_can_know(researcher):
    for _ in range(MOST_TOKENS):
        token_of(researcher)
    with pytest.raises(ConflictError, match=f"{MOST_TOKENS} tokens"):
        token_of(researcher)


def test_the_page_shows_the_secret_once_and_revokes(researcher, researcher_client):
    sent = {"name": "notebook", "scopes": ["read"], "days": "30"}
    first = researcher_client.post("/accounts/you/tokens/", sent).content.decode()
    secret = first.split('<pre tabindex="0"><code>')[1].split("<")[0]
    token = ApiToken.objects.get()
    assert (token.user, secret[-4:]) == (researcher, token.hint)
    assert secret not in researcher_client.get("/accounts/you/tokens/").content.decode()
    researcher_client.post(f"/accounts/you/tokens/{token.pk}/revoke/")
    assert "Revoked" in researcher_client.get("/accounts/you/tokens/").content.decode()


def test_nobody_revokes_the_token_of_another(researcher):
    made, client = token_of(researcher), Client()
    client.force_login(make_user(role="admin"))
    assert client.post(f"/accounts/you/tokens/{made.token.pk}/revoke/").status_code == 404
    assert made.token.is_open(NOW)


def test_a_scope_beyond_the_role_is_refused_on_the_page(researcher_client):
    sent = {"name": "notebook", "scopes": ["batches"], "days": "30"}
    assert researcher_client.post("/accounts/you/tokens/", sent).status_code == 422
    assert not ApiToken.objects.exists()
