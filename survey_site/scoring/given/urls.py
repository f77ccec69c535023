"""Addresses of the distances from outside that a corpus has."""

from django.urls import path

from survey_site.scoring.given import views

app_name = "given"
urlpatterns = [
    path("<int:corpus>/distances/", views.index, name="list"),
    path("<int:corpus>/distances/upload/", views.upload, name="upload"),
    path("<int:corpus>/distances/<int:pk>/remove/", views.remove, name="remove"),
]
