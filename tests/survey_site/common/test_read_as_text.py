"""What people write is text: no pattern, template, format or header. A field counts where it belongs."""

import pytest
from django.core import mail
from django.utils.html import escape

from survey_site.common.mail import MailFailedError, send_mail
from tests.factories.accounts import make_user
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus

MARKS = "{{ 7|add:7 }}{% now 'Y' %}{{ settings.SECRET_KEY }} {0.__class__} {name} %(name)s %s ${HOME} $name"
NAMES = ("Pilot", "a.c (first)", "abc [x]", "100% of_them", "back\\slash ^$")


@pytest.fixture
def batches():
    corpus = make_corpus()
    return [make_batch(corpus=corpus, name=name) for name in NAMES]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "words", [".*", "a.c", "(", "[x]", "P[i]lot", "^Pilot", r"\w+", "\\", "Pi?lot", "%", "_", "l.t", "$"]
)
def test_words_that_are_searched_are_no_pattern(researcher_client, batches, words):
    page = researcher_client.get("/batches/", {"q": words})
    found = sorted(one.name for one in page.context["page"])
    assert found == sorted(name for name in NAMES if words in name)


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["/", "/batches/", "/batches/{}/", "/accounts/audit/"])
def test_names_are_no_templates_and_no_formats(admin_client, page):
    batch = make_batch(name=MARKS)
    assert escape(MARKS) in admin_client.get(page.format(batch.pk)).content.decode()


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_line_ends_make_no_header_of_a_mail(end):
    with pytest.raises(MailFailedError) as failed:
        send_mail(to=f"rita@example.org{end}Bcc: eve@example.org", subject="hello", text="hello")
    assert isinstance(failed.value.__cause__, ValueError)  # Django 5.2's BadHeaderError is one
    assert mail.outbox == []
    send_mail(to="rita@example.org", subject=f"hello{end}Bcc: eve@example.org", text="hello")
    (sent,) = mail.outbox
    assert (sent.message()["Subject"], sent.message()["Bcc"]) == ("Concord: hello Bcc: eve@example.org", None)
    assert sent.recipients() == ["rita@example.org"]


@pytest.mark.django_db
def test_an_address_with_a_line_end_is_no_address(admin_client):
    form = {"name": "Nina", "email": "nina@example.org\nBcc: eve@example.org", "role": "auditor"}
    page = admin_client.post("/accounts/invite/", form)
    assert (page.status_code, list(page.context["form"].errors)) == (422, ["email"])


@pytest.mark.django_db
def test_what_belongs_into_a_form_does_not_count_in_the_address(client):
    make_user(username="ada", password="a long password")
    page = client.post("/accounts/login/?username=ada&password=a+long+password", {})
    assert sorted(page.context["form"].errors) == ["password", "username"]
    assert client.get("/corpora/").status_code == 302


@pytest.mark.django_db
@pytest.mark.parametrize(("sent", "status"), [(["eve", "ada"], 302), (["ada", "eve"], 200)])
def test_of_a_field_that_is_sent_twice_the_last_counts(client, sent, status):
    make_user(username="ada", password="a long password")
    form = {"username": sent, "password": "a long password"}
    assert client.post("/accounts/login/", form).status_code == status
