from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("survey", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="participation",
            name="partial_code",
            field=models.CharField(blank=True, max_length=100, default=""),
            preserve_default=False,
        )
    ]
