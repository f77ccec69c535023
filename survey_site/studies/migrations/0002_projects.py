import django.db.models.deletion
from django.db import migrations, models


def fill(apps, _schema_editor):
    """What is there belongs to the first project."""
    project = apps.get_model('projects', 'Project').objects.order_by('pk').first()
    apps.get_model('studies', 'Study').objects.update(project=project)


class Migration(migrations.Migration):

    dependencies = [
        ('studies', '0001_initial'),
        ('projects', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='study',
            name='project',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='projects.project'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='study',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='projects.project'),
        ),
        migrations.AlterField(
            model_name='study',
            name='content_hash',
            field=models.CharField(editable=False, max_length=64),
        ),
        migrations.AddConstraint(
            model_name='study',
            constraint=models.UniqueConstraint(fields=('content_hash', 'project'), name='studies_once_in_project'),
        ),
    ]
