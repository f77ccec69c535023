"""Forms of accounts. Passwords go through Django's validators."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm, UserCreationForm
from django.contrib.auth.password_validation import password_validators_help_texts

from survey_site.accounts.models import User
from survey_site.accounts.permissions import Role, Scope, scopes_of
from survey_site.accounts.tokens import MOST_DAYS
from survey_site.projects.models import MAX_NAME, Project

ROLE_HINT = (
    "An auditor reads everything and changes nothing; a researcher also imports corpora and builds reports; "
    "an admin also runs batches and manages accounts."
)


class _PlainHelp:
    """Says the rules for passwords in sentences, where Django has a list in HTML."""

    fields: dict[str, Any]

    def _say_rules(self, *, again: str, first: str) -> None:
        self.fields[first].help_text = " ".join(password_validators_help_texts())
        self.fields[again].help_text = ""
        self.fields[first].label, self.fields[again].label = "New password", "New password again"


class ProjectsChoice(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Some of the projects. With a single one there is nothing to choose: whoever is invited is of it."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, **said: Any) -> None:
        super().__init__(Project.objects.all(), required=False, **said)


class InviteForm(forms.Form):
    name = forms.CharField(max_length=150, help_text="Whom the invitation is for.")
    email = forms.EmailField(label="E-mail", required=False, max_length=254)
    role = forms.ChoiceField(choices=Role.choices, initial=Role.RESEARCHER, help_text=ROLE_HINT)
    projects = ProjectsChoice(help_text="What the person sees and works on. Admins see every project.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if Project.objects.count() < 2:
            del self.fields["projects"]


class ProjectForm(forms.Form):
    name = forms.CharField(max_length=MAX_NAME, help_text="What the team calls it.")


class MemberForm(forms.Form):
    """Somebody who is let in and is no member yet."""

    person = forms.ModelChoiceField(User.objects.none(), label="Account", empty_label="Choose …")

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = User.objects.filter(is_active=True).exclude(memberships__project=project)
        cast("forms.ModelChoiceField[User]", self.fields["person"]).queryset = others.order_by("username")


class PersonProjectsForm(forms.Form):
    projects = ProjectsChoice(label="Member of")


class RoleForm(forms.Form):
    role = forms.ChoiceField(label="What the account may do", choices=Role.choices, help_text=ROLE_HINT)


class AcceptForm(_PlainHelp, UserCreationForm):  # type: ignore[type-arg]
    """What an invited person fills in: user name and password."""

    class Meta:
        model = User
        fields = ("username",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say_rules(first="password1", again="password2")
        self.fields["password1"].label = "Password"
        self.fields["password2"].label = "Password again"
        self.fields["username"].label = "User name"
        self.fields["username"].help_text = "Letters, digits and @ . + - _"


class NewPasswordForm(_PlainHelp, SetPasswordForm):  # type: ignore[type-arg]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say_rules(first="new_password1", again="new_password2")


class OwnPasswordForm(_PlainHelp, PasswordChangeForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._say_rules(first="new_password1", again="new_password2")
        self.fields["old_password"].label = "Current password"
        del self.fields["old_password"].widget.attrs["autofocus"]


class DetailsForm(forms.ModelForm):  # type: ignore[type-arg]
    """Where mails go. A new address needs the password: links to a new one are mailed there."""

    current_password = forms.CharField(
        label="Your password",
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        help_text="Needed where the address changes.",
    )

    class Meta:
        model = User
        fields = ("email", "notices_by_mail")
        labels = {"email": "E-mail", "notices_by_mail": "Send me notices by mail"}
        help_texts = {
            "notices_by_mail": "When a batch is complete, a rater is flagged, a report is ready or failed.",
        }

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("notices_by_mail") and not values.get("email"):
            self.add_error("email", "Notices by mail need an e-mail address.")
        typed = values.get("current_password", "")
        if "email" in self.changed_data and not self.instance.check_password(typed):
            wrong = "This is not your password." if typed else "A new address needs your password."
            self.add_error("current_password", wrong)
        return values


class CodeForm(forms.Form):
    code = forms.CharField(
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "spellcheck": "false", "autofocus": True}
        ),
        help_text="The six digits that your app shows now, or one of your recovery codes.",
    )


class PasswordForm(forms.Form):
    """The password alone, of somebody who is logged in."""

    typed = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password", "id": "id_provider_password"}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_typed(self) -> str:
        return _own_password(self.user, str(self.cleaned_data["typed"]))


def _own_password(user: User, typed: str) -> str:
    if not user.check_password(typed):
        raise forms.ValidationError("This is not your password.")
    return typed


class ConfirmForm(forms.Form):
    """Password and code of somebody who is logged in: an open screen alone changes no second step."""

    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    code = forms.CharField(
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "spellcheck": "false"}),
        help_text="The six digits that your app shows now.",
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if not user.has_usable_password():
            del self.fields["password"]
        if user.second_step_at:
            self.fields["code"].help_text = CodeForm.base_fields["code"].help_text

    def clean_password(self) -> str:
        return _own_password(self.user, str(self.cleaned_data["password"]))


class ForgottenForm(forms.Form):
    email = forms.EmailField(label="E-mail", help_text="The address that your account has.")


class TokenForm(forms.Form):
    """A new token; it offers the scopes that the person's role has, and of models where one is configured."""

    name = forms.CharField(max_length=100, help_text="What will use it, for example “notebook on my laptop”.")
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        widget=forms.CheckboxSelectMultiple,
        help_text="Take no more than it needs. What your role loses, the token loses too.",
    )
    days = forms.IntegerField(
        label="Days until it ends", min_value=1, max_value=MOST_DAYS, initial=90, help_text="At most a year."
    )

    def __init__(self, *args: Any, role: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        scopes = cast(forms.MultipleChoiceField, self.fields["scopes"])
        offered = [scope for scope in scopes_of(role) if scope != Scope.MODELS or settings.CONCORD_LLM_MODELS]
        scopes.choices = [(scope.value, f"{scope.value}: {scope.label}") for scope in offered]
