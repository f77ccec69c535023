"""Addresses that archive and delete; `kind` is batch, report, corpus or study."""

from django.urls import path

from survey_site.keeping import views

app_name = "keeping"
urlpatterns = [
    path("<slug:kind>/<int:pk>/archive/", views.archive_it, name="archive"),
    path("<slug:kind>/<int:pk>/take-out/", views.take_it_out, name="take-out"),
    path("<slug:kind>/<int:pk>/delete/", views.delete_it, name="delete"),
]
