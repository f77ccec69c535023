"""What the tests of a batch's pages share: addresses, what a browser sends, what a page says."""

import re

from django.urls import reverse

from survey_site.desk.batches.planning.forms import BatchForm


def url(name, *args, **query):
    return reverse(f"batches:{name}", args=args, query=query or None)


def form_data(corpus, **changes):
    """What the browser sends of an untouched form, with a name."""
    form = BatchForm(corpus=corpus)
    data = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    data["systems"] = [system.pk for system in corpus.systems.all()]
    return {k: v for k, v in (data | {"name": "Pilot", "action": "save"} | changes).items() if v is not None}


def page_text(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())
