"""Which language a rater is shown, and what an admin writes in each."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from survey_site.accounts.models import AuditEntry
from survey_site.batches.description import describe_study
from survey_site.batches.services import BatchSettings, launch_batch, update_batch
from survey_site.batches.states import Scale
from survey_site.batches.translations import save_translation, shown_wording, untranslated_parts
from survey_site.batches.wording import default_wording
from survey_site.common.errors import ConflictError, NotFoundError
from survey_site.survey.models import Consent, ExamplePair, Rater, Rating
from survey_site.survey.pages.examples import save_examples
from survey_site.survey.people.consent import consent_wording
from survey_site.survey.people.identity import invitation_code
from survey_site.survey.people.participation import (
    read_participation,
    save_consent_text,
)
from tests.factories.batches import NOW, make_batch
from tests.survey_site.survey.pages.test_pages import checked, codes
from tests.survey_site.survey.people.test_consent import key_of
from tests.survey_site.survey.people.test_ways_in import enter, url

pytestmark = pytest.mark.django_db
BOTH = ["en", "ar"]
QUESTION = "هل يقول النصان الشيء نفسه؟"


def language_of(response):
    html = response.content.decode()
    return html.split('<html lang="', 1)[1].split('"', 1)[0]


def visitor(accept=""):
    return Client(headers={"accept-language": accept})


@pytest.mark.parametrize(
    ("languages", "accept", "shown"),
    [
        (["en"], "ar", "en"),
        (["ar"], "en", "ar"),
        (BOTH, "", "en"),
        (["ar", "en"], "", "ar"),
        (BOTH, "ar-EG,en;q=0.8", "ar"),
        (["ar", "en"], "fr,en-GB;q=0.5", "en"),
        (["ar", "en"], "fr, xx, *", "ar"),
        (BOTH, "AR", "ar"),
    ],
)
def test_a_newcomer_reads_what_their_browser_asks_for_among_what_is_offered(languages, accept, shown):
    batch = make_batch(languages=languages)
    assert language_of(visitor(accept).get(url("join", batch))) == shown


def choose(client, batch, language, page="join"):
    return client.post(url("language", batch), {"language": language, "next": url(page, batch)})


def test_a_choice_stands_above_the_browser_and_stores_nothing_but_itself():
    batch, client = make_batch(languages=BOTH), visitor("en")
    answer = choose(client, batch, "ar", page="declined")
    assert (answer.url, language_of(client.get(answer.url))) == (url("declined", batch), "ar")
    cookie = client.cookies["language"]
    assert (cookie.value, cookie["path"], cookie["httponly"]) == ("ar", url("join", batch), True)
    assert (Rater.objects.count(), "rater" in client.cookies) == (0, False)
    enter(client, url("join", batch))
    assert Rater.objects.get().language == "ar"


@pytest.mark.parametrize("language", ["fr", "", "../en"])
def test_a_language_that_is_not_offered_changes_nothing(language):
    batch, client = make_batch(languages=BOTH), visitor("ar")
    assert choose(client, batch, language).status_code == 302
    assert ("language" in client.cookies, language_of(client.get(url("join", batch)))) == (False, "ar")


@pytest.mark.parametrize(
    "path",
    ["https://evil.example/", "//evil.example", "/batches/", "/s/another/done/", "{start}", "{join}x/y"],
)
def test_choosing_leads_to_pages_of_the_survey_alone(path):
    batch = make_batch(languages=BOTH)
    path = path.format(start=url("start", batch), join=url("join", batch))
    answer = visitor().post(url("language", batch), {"language": "ar", "next": path})
    assert answer.url == url("join", batch)


def test_a_personal_link_keeps_the_language_on_another_device():
    batch = make_batch(languages=BOTH)
    link = url("invited", batch, invitation_code(batch, 1))
    phone = visitor("en")
    enter(phone, link)
    choose(phone, batch, "ar")
    assert language_of(visitor("en").get(link, follow=True)) == "ar"


def test_another_language_in_the_middle_of_a_questionnaire_keeps_every_answer():
    batch, client = make_batch(languages=BOTH), visitor("en")
    address = enter(client, url("join", batch))
    names = codes(client.get(address))
    answer = client.post(address, {names[0]: 2, names[2]: 6, "language": "ar"})
    page = client.get(answer.url)
    assert (answer.url, language_of(page)) == (address, "ar")
    assert checked(page) == {names[0]: 2, names[2]: 6}
    assert sorted(Rating.objects.values_list("value", flat=True)) == [2, 6]
    assert Rater.objects.get().language == "ar"


def test_one_language_offers_no_choice():
    page = visitor().get(url("join", make_batch(languages=["ar"]))).content.decode()
    assert 'name="language"' not in page


def test_the_plan_takes_its_languages(admin_client):
    batch = make_batch(launched=False)
    settings = {"name": "x", "systems": list(batch.systems.all())}
    update_batch(batch=batch, settings=BatchSettings(**settings, languages=["ar", "en", "ar"]), now=NOW)
    batch.refresh_from_db()
    assert (batch.languages, batch.low_label) == (["ar", "en"], "تشابه ضعيف جدًا")
    assert "languages" in AuditEntry.objects.get(action="plan changed").detail
    with pytest.raises(ValidationError, match="come in en, ar, not in tlh"):
        update_batch(batch=batch, settings=BatchSettings(**settings, languages=["tlh"]), now=NOW)
    page = admin_client.get(reverse("batches:edit", args=[batch.pk])).content.decode()
    assert '<option value="ar" selected>' in page
    assert 'value="en" id="id_further_languages_0" checked' in page


@pytest.mark.parametrize("language", BOTH)
def test_default_instructions_come_in_the_language_of_the_batch(language):
    english = default_wording(Scale.SIMILARITY, "en").instructions.replace("\n", "\r\n")
    batch = make_batch(languages=[language], instructions=english, launched=False)
    assert batch.instructions == default_wording(Scale.SIMILARITY, language).instructions


def test_labels_of_the_other_direction_are_refused_in_every_language():
    with pytest.raises(ValidationError, match="belongs to a scale of dissimilarity"):
        make_batch(launched=False, languages=["ar"], low_label="متشابهان جدًا")


def test_what_nobody_wrote_comes_in_every_language():
    batch = make_batch(languages=BOTH)
    shown = shown_wording(batch, "ar")
    assert {text.language for text in vars(shown).values()} == {"ar"}
    assert shown.question.words == default_wording(Scale.SIMILARITY, "ar").question


def test_what_an_admin_wrote_stands_until_it_is_written_in_the_other_language_too():
    batch = make_batch(languages=BOTH, question="Same thing?", launched=False)
    assert (shown_wording(batch, "ar").question.language, untranslated_parts(batch, "ar")) == (
        "en",
        ["question"],
    )
    save_translation(batch=batch, language="ar", wording={"question": f" {QUESTION} "}, now=NOW)
    launch_batch(batch=batch, now=NOW)
    assert (shown_wording(batch, "ar").question.words, untranslated_parts(batch, "ar")) == (QUESTION, [])
    assert QUESTION in visitor("ar").get(url("join", batch)).content.decode()
    assert "Same thing?" in visitor("en").get(url("join", batch)).content.decode()


def test_what_is_sealed_holds_the_words_of_every_language():
    study = describe_study(make_batch(languages=BOTH, low_label="No"))
    assert (study["language"], study["low_label"]) == ("en", "No")
    arabic = study["further_wordings"]["ar"]
    assert (arabic["low_label"], arabic["high_label"]) == ("No", "تشابه كبير جدًا")


def test_a_text_in_another_language_than_its_page_says_so():
    batch = make_batch(languages=BOTH, question="Same <thing>?")
    page = visitor("ar").get(url("join", batch)).content.decode()
    assert '<bdi lang="en" dir="ltr">Same &lt;thing&gt;?</bdi>' in page


def test_a_launched_batch_keeps_its_translations_and_examples():
    batch = make_batch(languages=BOTH)
    with pytest.raises(ConflictError):
        save_translation(batch=batch, language="ar", wording={}, now=NOW)
    with pytest.raises(ConflictError):
        save_examples(batch=batch, language="ar", use="example", pairs=[], now=NOW)


def test_a_language_that_the_batch_does_not_offer_takes_no_texts():
    batch = make_batch(launched=False)
    for write in (
        lambda: save_translation(batch=batch, language="ar", wording={}, now=NOW),
        lambda: save_examples(batch=batch, language="ar", use="example", pairs=[], now=NOW),
        lambda: save_consent_text(batch=batch, text="x", language="ar", now=NOW),
    ):
        with pytest.raises(NotFoundError, match="not offered"):
            write()


def test_a_translated_label_of_the_other_direction_is_refused():
    batch = make_batch(languages=BOTH, launched=False)
    with pytest.raises(ValidationError, match="belongs to a scale of dissimilarity"):
        save_translation(batch=batch, language="ar", wording={"high_label": "مختلفان جدًا"}, now=NOW)


def join(client, batch):
    page = client.get(url("join", batch)).content.decode()
    client.post(url("start", batch), {"key": key_of(page)})
    return page


def agreed():
    rows = Consent.objects.order_by("pk").values_list("text__language", "text__version", "rater__language")
    return list(rows)


def test_consent_is_recorded_with_the_language_that_was_read():
    batch = make_batch(languages=BOTH)
    assert "المشاركة طوعية" in join(visitor("ar"), batch)
    assert "Taking part is voluntary" in join(visitor("en"), batch)
    assert agreed() == [("ar", 1, "ar"), ("en", 1, "en")]


def test_who_changes_the_language_before_agreeing_agrees_to_what_they_read():
    batch, client = make_batch(languages=BOTH), visitor("ar")
    key = key_of(client.get(url("join", batch)).content.decode())
    choose(client, batch, "en")
    client.post(url("start", batch), {"key": key})
    assert agreed() == [("ar", 1, "en")]


def test_a_consent_text_of_one_s_own_stands_for_all_languages_until_it_is_translated():
    batch = make_batch(languages=BOTH)
    early = visitor("ar")
    key = key_of(early.get(url("join", batch)).content.decode())
    save_consent_text(batch=batch, text="Our words.", now=NOW)
    assert '<div class="consent prose" lang="en" dir="ltr"><p>Our words.' in join(visitor("ar"), batch)
    save_consent_text(batch=batch, text="كلماتنا.", language="ar", now=NOW)
    assert "كلماتنا." in join(visitor("ar"), batch)
    early.post(url("start", batch), {"key": key})
    assert agreed() == [("en", 2, "ar"), ("ar", 2, "ar"), ("ar", 1, "ar")]
    texts = batch.consent_texts.values_list("language", "version")
    assert list(texts) == [("ar", 1), ("ar", 2), ("en", 1), ("en", 2)]


def test_versions_count_in_each_language():
    batch = make_batch(languages=BOTH, launched=False)
    numbers = [
        save_consent_text(batch=batch, text=text, language=language, now=NOW).version
        for text, language in (("a", "en"), ("أ", "ar"), ("b", "en"), ("b", "en"))
    ]
    assert numbers == [1, 1, 2, 2]
    assert consent_wording(batch, read_participation(batch), "ar").text == "أ"


def texts_url(batch, language, name="texts"):
    return reverse(f"batches:{name}", args=[batch.pk, language])


def entered(use="example", number=1, **values):
    data = {"left": "One", "right": "Two", "low": "2", "high": "3", "why": "So"} | values
    return {f"{use}-{number}-{name}": value for name, value in data.items()}


def test_an_admin_writes_the_texts_of_a_language_on_its_page(admin_client, researcher_client):
    batch = make_batch(languages=BOTH, launched=False, scale=Scale.DISSIMILARITY, question="Other?")
    data = {"question": QUESTION} | entered() | entered("practice", 2, low="6", high="6")
    assert researcher_client.post(texts_url(batch, "ar", "change-texts"), data).status_code == 403
    assert admin_client.post(texts_url(batch, "ar", "change-texts"), data).status_code == 302
    stored = ExamplePair.objects.order_by("use").values_list("use", "language", "low", "high")
    assert list(stored) == [("example", "ar", 4, 5), ("practice", "ar", 1, 1)]
    page = admin_client.get(texts_url(batch, "ar")).content.decode()
    assert (QUESTION in page, page.count('<option value="6" selected>')) == (True, 2)
    assert QUESTION in researcher_client.get(texts_url(batch, "ar")).content.decode()
    assert list(AuditEntry.objects.order_by("pk").values_list("action", "actor_name"))[1:] == [
        ("wording changed", "adam"),
        ("examples changed", "adam"),
        ("examples changed", "adam"),
    ]
    admin_client.post(texts_url(batch, "ar", "change-texts"), data)
    assert AuditEntry.objects.count() == 4
    overview = admin_client.get(reverse("batches:participation", args=[batch.pk])).content.decode()
    assert "1 worked example of your own, 1 practice pair of your own" in overview
    assert "Not written in it" not in overview


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (entered(why=""), "A pair needs both texts, its rating and a reason."),
        (entered(low="4"), "This is lower than the point before it."),
        (entered(left="summary 1 1 1"), "text of this batch&#x27;s corpus"),
        ({"low_label": "مختلفان جدًا"}, "This label belongs to a scale"),
        ({"question": "x" * 301}, "at most 300 characters"),
    ],
)
def test_what_cannot_be_saved_is_shown_again_and_nothing_of_it_is_kept(admin_client, data, message):
    batch = make_batch(languages=BOTH, launched=False)
    data = {"question": QUESTION} | data
    response = admin_client.post(texts_url(batch, "ar", "change-texts"), data)
    assert (response.status_code, message in response.content.decode()) == (422, True)
    assert (ExamplePair.objects.count(), batch.translations.count()) == (0, 0)


def test_the_page_says_what_is_not_written_in_a_language(admin_client):
    batch = make_batch(languages=BOTH, question="Same thing?", launched=False)
    save_consent_text(batch=batch, text="Ours", now=NOW)
    overview = admin_client.get(reverse("batches:participation", args=[batch.pk])).content.decode()
    assert "Not written in it: question, consent text" in overview
    assert "none in Arabic" in admin_client.get(texts_url(batch, "ar")).content.decode()
    admin_client.post(reverse("batches:change-consent", args=[batch.pk]), {"text": "لنا", "language": "ar"})
    assert "Consent, version 1" in admin_client.get(texts_url(batch, "ar")).content.decode()


def test_a_language_that_is_not_offered_has_no_page(admin_client):
    assert admin_client.get(texts_url(make_batch(), "ar")).status_code == 404


def test_a_launched_batch_shows_its_texts_to_read(admin_client):
    page = admin_client.get(texts_url(make_batch(languages=BOTH), "ar")).content.decode()
    assert ("Save the texts" in page, "ما مدى تشابه النصين" in page, "Save the text" in page) == (
        False,
        True,
        True,
    )
