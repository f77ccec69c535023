from django.apps import AppConfig


class ModelRatersConfig(AppConfig):
    name = "survey_site.model_raters"
    label = "model_raters"
    default_auto_field = "django.db.models.BigAutoField"
