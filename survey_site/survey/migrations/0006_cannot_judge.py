import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('batches', '0005_cannot_judge'),
        ('survey', '0005_open_claims'),
    ]

    operations = [
        migrations.CreateModel(
            name='Mark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(choices=[('cut-off', 'A text is missing or cut off'), ('language', 'It is not in a language that I read'), ('unclear', 'I do not understand it'), ('other', 'Another reason')], max_length=10)),
                ('words', models.CharField(blank=True, max_length=300)),
                ('tab', models.CharField(blank=True, max_length=32)),
                ('turn', models.BigIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='assignment',
            name='assignment_slot_matches_state',
        ),
        migrations.RemoveConstraint(
            model_name='assignment',
            name='assignment_submitted_at_matches_state',
        ),
        migrations.RemoveConstraint(
            model_name='ratinghistory',
            name='history_value_1_to_6',
        ),
        migrations.AddField(
            model_name='ratinghistory',
            name='reason',
            field=models.CharField(blank=True, choices=[('cut-off', 'A text is missing or cut off'), ('language', 'It is not in a language that I read'), ('unclear', 'I do not understand it'), ('other', 'Another reason')], max_length=10),
        ),
        migrations.AddField(
            model_name='ratinghistory',
            name='words',
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AlterField(
            model_name='assignment',
            name='state',
            field=models.CharField(choices=[('open', 'In progress'), ('submitted', 'Submitted'), ('expired', 'Expired'), ('surplus', 'Surplus'), ('marked', 'Submitted with marks'), ('withdrawn', 'Withdrawn')], default='open', max_length=10),
        ),
        migrations.AlterField(
            model_name='ratinghistory',
            name='value',
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('slot__isnull', False), ('state__in', ['open', 'submitted'])), models.Q(('slot__isnull', True), ('state__in', ['expired', 'surplus', 'marked', 'withdrawn'])), _connector='OR'), name='assignment_slot_matches_state'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['submitted', 'surplus', 'marked']), ('submitted_at__isnull', False)), models.Q(('state__in', ['open', 'expired']), ('submitted_at__isnull', True)), ('state', 'withdrawn'), _connector='OR'), name='assignment_submitted_at_matches_state'),
        ),
        migrations.AddConstraint(
            model_name='ratinghistory',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), ('value__gte', 1), ('value__isnull', False), ('value__lte', 6)), models.Q(('reason__in', ['cut-off', 'language', 'unclear', 'other']), ('value__isnull', True)), _connector='OR'), name='history_value_1_to_6_or_mark'),
        ),
        migrations.AddField(
            model_name='mark',
            name='assignment_item',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='mark', to='survey.assignmentitem'),
        ),
        migrations.AddConstraint(
            model_name='mark',
            constraint=models.CheckConstraint(condition=models.Q(('reason__in', ['cut-off', 'language', 'unclear', 'other'])), name='mark_reason_known'),
        ),
        migrations.AddConstraint(
            model_name='mark',
            constraint=models.CheckConstraint(condition=models.Q(('words', ''), ('reason', 'other'), _connector='OR'), name='mark_words_of_another_reason'),
        ),
    ]
