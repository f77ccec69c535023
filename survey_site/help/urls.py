"""Addresses of the help."""

from django.urls import path

from survey_site.help import views

app_name = "help"
urlpatterns = [
    path("", views.index, name="index"),
    path("images/<str:name>", views.image, name="image"),
    path("<slug:name>/", views.page, name="page"),
]
