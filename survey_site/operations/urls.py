from django.urls import path

from survey_site.operations import views

app_name = "operations"
urlpatterns = [
    path("metrics/", views.metrics, name="metrics"),
    path("status/", views.status, name="status"),
]
