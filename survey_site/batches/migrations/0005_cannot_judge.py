from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('batches', '0004_free_places'),
    ]

    # Off in the batches that exist, whose raters were told nothing of it; on in new ones.
    operations = [
        migrations.AddField(
            model_name='batch',
            name='marks_allowed',
            field=models.BooleanField(default=False),
        ),
        migrations.AlterField(
            model_name='batch',
            name='marks_allowed',
            field=models.BooleanField(default=True),
        ),
    ]
