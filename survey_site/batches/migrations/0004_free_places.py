from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('batches', '0003_survey_design'),
        ('corpus', '0002_mean_lengths'),
    ]

    operations = [
        migrations.AddField(
            model_name='questionnaire',
            name='taken',
            field=models.PositiveSmallIntegerField(default=0, editable=False),
        ),
        migrations.AddIndex(
            model_name='questionnaire',
            index=models.Index(models.F('batch'), models.OrderBy(models.F('taken'), descending=True), models.F('number'), condition=models.Q(('taken__lt', models.F('slots'))), name='questionnaire_free'),
        ),
    ]
