from django.urls import path

from survey_site.uploads import views

app_name = "uploads"
urlpatterns = [path("upload/", views.new, name="new")]
