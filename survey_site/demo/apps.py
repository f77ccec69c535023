from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "survey_site.demo"
    label = "demo"
