import django.db.models.deletion
from django.db import migrations, models


def fill(apps, _schema_editor):
    """What the log says of accounts belongs to no project, all else to the first one; so do open invitations."""
    project = apps.get_model('projects', 'Project').objects.order_by('pk').first()
    entries = apps.get_model('accounts', 'AuditEntry').objects
    entries.exclude(subject_kind__startswith='accounts.').update(project=project)
    for link in apps.get_model('accounts', 'AccountLink').objects.filter(purpose='invite', used_at=None):
        link.projects.add(project)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_api_tokens'),
        ('projects', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='accountlink',
            name='projects',
            field=models.ManyToManyField(blank=True, related_name='+', to='projects.project'),
        ),
        migrations.AddField(
            model_name='auditentry',
            name='project',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='projects.project'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
