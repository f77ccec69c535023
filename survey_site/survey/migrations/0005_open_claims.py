from django.db import migrations, models

# How many places of each questionnaire are taken is counted from here on; this is where the count begins.
COUNT = """
    UPDATE batches_questionnaire SET taken = (
        SELECT COUNT(*) FROM survey_assignment
        WHERE questionnaire_id = batches_questionnaire.id AND slot IS NOT NULL
    )
"""


class Migration(migrations.Migration):

    dependencies = [
        ('batches', '0004_free_places'),
        ('survey', '0004_raters_pages'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['state', 'expires_at'], name='assignment_state_until'),
        ),
        migrations.RunSQL(COUNT, migrations.RunSQL.noop),
    ]
