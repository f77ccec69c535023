"""The ratings of a set stand rater by rater, so that a withdrawal rewrites none of them."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

RATER = 4  # its column in the rows of a set


def _lock(schema: Any) -> None:
    """A process of the version before that still runs waits, and then fails: what it wrote would be lost."""
    if schema.connection.vendor == "postgresql":
        schema.execute("LOCK TABLE scoring_ratingset IN ACCESS EXCLUSIVE MODE")


def cut(apps: Any, schema: Any) -> None:
    """One set is in memory at a time: a batch may have many large ones."""
    _lock(schema)
    sets, parts = apps.get_model("scoring", "RatingSet"), apps.get_model("scoring", "RatingSetPart")
    for key in list(sets.objects.order_by("pk").values_list("pk", flat=True)):
        rows: dict[str, list[Any]] = {}
        for row in sets.objects.get(pk=key).ratings:
            rows.setdefault(row[RATER], []).append(row)
        parts.objects.bulk_create(
            (
                parts(rating_set_id=key, rater=rater, count=len(given), ratings=given)
                for rater, given in rows.items()
            ),
            batch_size=200,
        )


def join(apps: Any, schema: Any) -> None:
    _lock(schema)
    sets, parts = apps.get_model("scoring", "RatingSet"), apps.get_model("scoring", "RatingSetPart")
    for key in list(sets.objects.order_by("pk").values_list("pk", flat=True)):
        given = parts.objects.filter(rating_set=key).values_list("ratings", flat=True)
        sets.objects.filter(pk=key).update(ratings=sorted(row for part in given for row in part))


class Migration(migrations.Migration):
    dependencies = [("scoring", "0005_waiting_for_parts")]

    operations = [
        migrations.CreateModel(
            name="RatingSetPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rater", models.CharField(max_length=100)),
                ("count", models.PositiveIntegerField()),
                ("ratings", models.JSONField()),
                (
                    "rating_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="scoring.ratingset",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rating_set", "rater"), name="scoring_rating_set_part_once"
                    )
                ],
            },
        ),
        migrations.AlterField("ratingset", "ratings", models.JSONField(default=list)),
        migrations.RunPython(cut, join),
        migrations.RemoveField("ratingset", "ratings"),
    ]
