"""Names of distances from outside have up to 60 characters; a declaration keeps them whole."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('batches', '0006_archive'),
    ]

    operations = [
        migrations.AlterField(
            model_name='primarydeclaration',
            name='surrogate',
            field=models.CharField(blank=True, max_length=60),
        ),
    ]
