"""Addresses of the runs that compute scores."""

from django.urls import path

from survey_site.scoring.parts import views

app_name = "runs"
urlpatterns = [
    path("<int:pk>/", views.detail, name="detail"),
    path("<int:pk>/progress/", views.progress, name="progress"),
    path("<int:pk>/scores.csv", views.scores, name="scores"),
    path("<int:pk>/cancel/", views.cancel, name="cancel"),
    path("<int:pk>/retry/", views.retry, name="retry"),
]
