import django.db.models.deletion
from django.db import migrations, models


def fill(apps, _schema_editor):
    """What is there belongs to the first project."""
    project = apps.get_model('projects', 'Project').objects.order_by('pk').first()
    apps.get_model('corpus', 'Corpus').objects.update(project=project)


class Migration(migrations.Migration):

    dependencies = [
        ('corpus', '0003_archive'),
        ('projects', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='corpus',
            name='project',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='corpora', to='projects.project'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='corpus',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='corpora', to='projects.project'),
        ),
        migrations.AlterField(
            model_name='corpus',
            name='content_hash',
            field=models.CharField(editable=False, max_length=64),
        ),
        migrations.AddConstraint(
            model_name='corpus',
            constraint=models.UniqueConstraint(fields=('content_hash', 'project'), name='corpus_once_in_project'),
        ),
    ]
