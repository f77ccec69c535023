import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.utils import timezone


def begin(apps, _schema_editor):
    """One project, and everybody who has an account is a member: nothing changes for one team."""
    project = apps.get_model('projects', 'Project').objects.create(name='First project', created_at=timezone.now())
    membership = apps.get_model('projects', 'Membership')
    people = apps.get_model('accounts', 'User').objects.order_by('pk').values_list('pk', flat=True)
    membership.objects.bulk_create(membership(project=project, user_id=pk) for pk in people)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0003_api_tokens'),
    ]

    operations = [
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='projects_project_named')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='projects.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'user'), name='projects_member_once')],
            },
        ),
        migrations.AddField(
            model_name='project',
            name='people',
            field=models.ManyToManyField(related_name='projects', through='projects.Membership', to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunPython(begin, migrations.RunPython.noop),
    ]
