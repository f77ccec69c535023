from django.contrib.auth import views
from django.urls import path

from survey_site.accounts.views import audit

app_name = "accounts"
urlpatterns = [
    path(
        "login/",
        views.LoginView.as_view(template_name="accounts/login.html", redirect_authenticated_user=True),
        name="login",
    ),
    path("audit/", audit, name="audit"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
]
