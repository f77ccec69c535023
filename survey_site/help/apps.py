from django.apps import AppConfig


class HelpConfig(AppConfig):
    name = "survey_site.help"
