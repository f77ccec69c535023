from django.apps import AppConfig


class UploadsConfig(AppConfig):
    name = "survey_site.uploads"
    label = "uploads"
    default_auto_field = "django.db.models.BigAutoField"
