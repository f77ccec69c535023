from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "survey_site.accounts"
    label = "accounts"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from survey_site.accounts.sessions import note_login

        user_logged_in.connect(note_login, dispatch_uid="accounts.sessions")
