from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('batches', '0008_equal_pairs_once'),
    ]

    operations = [
        migrations.AddField(
            model_name='batch',
            name='one_typography',
            field=models.BooleanField(default=False),
        ),
    ]
