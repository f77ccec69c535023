from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "survey_site.accounts"
    label = "accounts"
