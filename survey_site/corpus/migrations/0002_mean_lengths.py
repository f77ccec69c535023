from typing import Any

from django.db import migrations, models
from django.db.models import Avg
from django.db.models.functions import Length


def measure(apps: Any, _schema_editor: Any) -> None:
    """What imports store from now on (`corpus.services`), for the corpora that are here."""
    corpus, document, reference = (
        apps.get_model("corpus", name) for name in ("Corpus", "Document", "Reference")
    )
    for pk in corpus.objects.values_list("pk", flat=True):
        read = document.objects.filter(corpus=pk).aggregate(mean=Avg(Length("title") + Length("body")))
        texts = reference.objects.filter(document__corpus=pk).aggregate(mean=Avg(Length("text")))
        corpus.objects.filter(pk=pk).update(
            document_characters=read["mean"] or 0, reference_characters=texts["mean"] or 0
        )


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="corpus",
            name="document_characters",
            field=models.FloatField(
                default=0, editable=False, help_text="Mean length of a document, title and body."
            ),
        ),
        migrations.AddField(
            model_name="corpus",
            name="reference_characters",
            field=models.FloatField(default=0, editable=False, help_text="Mean length of a reference."),
        ),
        migrations.RunPython(measure, migrations.RunPython.noop),
    ]
