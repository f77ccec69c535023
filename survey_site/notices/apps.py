from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "survey_site.notices"
    label = "notices"
