from typing import Any

from django.db import migrations, models
from django.db.models import Q


def delete_unread(apps: Any, schema: Any) -> None:
    """The version before knows no human scores without ratings; who asked for some asks again."""
    apps.get_model("scoring", "ScoreRun").objects.filter(kind="human", rating_set=None).delete()
    if schema.connection.vendor == "postgresql":  # which else does not change a table whose checks are due
        schema.execute("SET CONSTRAINTS ALL IMMEDIATE")
        schema.execute("SET CONSTRAINTS ALL DEFERRED")


class Migration(migrations.Migration):
    dependencies = [
        ("batches", "0008_equal_pairs_once"),
        ("corpus", "0005_generated_systems"),
        ("scoring", "0007_part_times"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="scorerun",
            name="score_run_batch_matches_kind",
        ),
        migrations.AddField(
            model_name="scorerun",
            name="asked",
            field=models.CharField(blank=True, editable=False, max_length=64, null=True, unique=True),
        ),
        migrations.AddConstraint(
            model_name="scorerun",
            constraint=models.CheckConstraint(
                condition=Q(kind="automatic", batch__isnull=True, rating_set__isnull=True)
                | Q(kind="human", batch__isnull=False),
                name="score_run_batch_matches_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="scorerun",
            constraint=models.CheckConstraint(
                condition=~Q(kind="human", status="done") | Q(rating_set__isnull=False),
                name="score_run_done_has_ratings",
            ),
        ),
        migrations.RunPython(migrations.RunPython.noop, delete_unread),
    ]
