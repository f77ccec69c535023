"""manage.py reset_second_step: let somebody in by the password alone, who has lost app and recovery codes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from survey_site.accounts.mails import mail_second_step_gone
from survey_site.accounts.models import User
from survey_site.accounts.second_step import reset_second_step
from survey_site.common.errors import ConflictError


class Command(BaseCommand):
    help = (
        "Take the second step of an account away: it logs in with the password alone, and its log-ins end. "
        "For the last admin above all; others an admin resets on the page of the account."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="The user name of the account.")

    def handle(self, *_args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no account “{options['username']}”.")
        try:
            user = reset_second_step(user=user, by=None, now=timezone.now())
        except ConflictError as error:
            raise CommandError(error.message) from error
        mail_second_step_gone(user=user)
        self.stdout.write(f"{user} logs in with the password alone. Every log-in of the account has ended.")
