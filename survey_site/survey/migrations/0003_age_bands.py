from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("survey", "0002_partial_code")]

    operations = [
        migrations.AddField(
            model_name="participation",
            name="age_bands",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        )
    ]
