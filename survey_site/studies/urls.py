"""Addresses of studies whose results were uploaded."""

from django.urls import path

from survey_site.studies import views

app_name = "studies"
urlpatterns = [
    path("", views.index, name="list"),
    path("upload/", views.upload, name="upload"),
    path("<int:pk>/", views.detail, name="detail"),
    path("<int:pk>/files/<str:name>", views.file, name="file"),
]
