"""The field by which somebody with several projects says where something new goes."""

from typing import Any, cast

from django import forms

from survey_site.common.errors import InvalidInputError
from survey_site.projects.access import projects_of
from survey_site.projects.choosing import project_to_fill
from survey_site.projects.models import Project


class ProjectField(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic at run time
    def __init__(self) -> None:
        super().__init__(
            queryset=Project.objects.none(), empty_label="Choose …", help_text="Its members will see it."
        )


class ForProject(forms.Form):
    """A form that makes something of a project. The field is there only for who has to choose."""

    project = ProjectField()

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        field = cast(ProjectField, self.fields["project"])
        field.queryset = projects_of(user)
        field.initial = user.shown_project
        count = field.queryset.count()
        self.is_without_project = not count
        """Whether nothing can be made at all, which the page says before anybody chooses files."""
        if count < 2:
            del self.fields["project"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "project" not in self.fields:
            try:
                cleaned["project"] = project_to_fill(self.user)
            except InvalidInputError as error:
                raise forms.ValidationError(f"{error.message} {error.action}") from error
        return cleaned
