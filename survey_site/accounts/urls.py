from django.contrib.auth import views as auth_views
from django.urls import path

from survey_site.accounts import link_views, own_views, project_views, token_views, views
from survey_site.common.mail import mails_are_sent

app_name = "accounts"
urlpatterns = [
    path("", views.account_list, name="list"),
    path("invite/", views.invite_person, name="invite"),
    path("invitations/<int:pk>/withdraw/", views.withdraw, name="withdraw"),
    path("people/<int:pk>/", views.person, name="person"),
    path("people/<int:pk>/role/", views.role, name="role"),
    path("people/<int:pk>/projects/", project_views.of_person, name="person-projects"),
    path("people/<int:pk>/access/", views.access, name="access"),
    path("people/<int:pk>/reset/", views.reset, name="reset"),
    path("people/<int:pk>/sessions/", views.end_person_sessions, name="end-sessions"),
    path("link/<str:secret>/", link_views.receive, name="open-link"),
    path("link/", link_views.link, name="link"),
    path("forgotten/", link_views.forgotten, name="forgotten"),
    path("you/", own_views.own, name="own"),
    path("you/password/", own_views.password, name="password"),
    path("you/details/", own_views.details, name="details"),
    path("you/tokens/", token_views.tokens, name="tokens"),
    path("you/tokens/<int:pk>/revoke/", token_views.revoke, name="revoke-token"),
    path("you/sessions/", own_views.end_own_sessions, name="end-own-sessions"),
    path(
        "login/",
        auth_views.LoginView.as_view(
            template_name="accounts/login.html",
            redirect_authenticated_user=True,
            extra_context={"mails": mails_are_sent},
        ),
        name="login",
    ),
    path("audit/", views.audit, name="audit"),
    path("logout/", auth_views.LogoutView.as_view(), name="logout"),
]
