"""The value of each setting of the table, from the environment or from a file that a variable names."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from survey_site.settings.declared import Setting
from survey_site.settings.table import SETTINGS

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off", ""})
FROM_FILE = "_FILE"
"""Added to a variable's name, this names a file that holds the value."""


def _parse_bool(text: str) -> bool:
    value = text.strip().lower()
    if value not in TRUE | FALSE:
        raise ValueError(f"{text!r} is neither true nor false")
    return value in TRUE


def _parse_list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


PARSERS: Mapping[type, Callable[[str], Any]] = {
    bool: _parse_bool,
    int: int,
    float: float,
    list: _parse_list,
    str: str,
    Path: lambda text: Path(text).expanduser().resolve(),
}


def read_settings(environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The value of each declared setting; a value that does not parse names its variable."""
    return {setting.name: _read(setting, environ) for setting in SETTINGS}


def _read(setting: Setting, environ: Mapping[str, str]) -> Any:
    text = _text(setting.env, environ)
    if text is None:
        return list(setting.default) if setting.type is list else setting.default
    try:
        return PARSERS[setting.type](text)
    except ValueError as error:
        raise ImproperlyConfigured(
            f"Environment variable {setting.env}={text!r} is not a valid {setting.type.__name__}: {error}"
        ) from error


def _text(variable: str, environ: Mapping[str, str]) -> str | None:
    """What the variable holds, or the file that VARIABLE_FILE names, which keeps secrets out of it."""
    text, file = environ.get(variable), environ.get(f"{variable}{FROM_FILE}")
    if not file:
        return text
    if text:
        raise ImproperlyConfigured(f"{variable} and {variable}{FROM_FILE} are both set: set one of them.")
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{variable}{FROM_FILE}={file!r} cannot be read: {error}") from error
