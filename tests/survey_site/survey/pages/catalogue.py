"""The strings of raters' pages as they stand in the code, and the catalogues that translate them."""

import ast
import re
from collections.abc import Iterator
from gettext import GNUTranslations
from html.parser import HTMLParser
from pathlib import Path

from django.conf import settings
from django.template import engines
from django.template.base import Node
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.translation import trim_whitespace

ROOT = Path(settings.BASE_DIR)
TEMPLATES = ROOT / "templates"
RATER_TEMPLATES = sorted(
    list((TEMPLATES / "survey").glob("*.html"))
    + list(TEMPLATES.glob("[45]0*.html"))
    + [TEMPLATES / "base_rater.html", TEMPLATES / "error_rater.html"]
    + [TEMPLATES / "partials" / name for name in ("field.html", "form_errors.html", "messages.html")]
)
RATER_MODULES = [
    ROOT / "survey_site" / "survey" / f"{name}.py"
    for name in (
        *("people/identity", "people/joining", "people/languages", "people/presence"),
        *("rating/ending", "rating/leaving", "rating/services", "rating/turns", "rating/validators"),
        *("pages/access", "pages/entry_views", "pages/questionnaire", "pages/views"),
    )
] + [ROOT / "survey_site" / "common" / "limits.py"]
FUNCTIONS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "pgettext"}
CONTEXT = "\x04"  # between context and string, in every catalogue


def code_strings() -> set[str]:
    """Every string that the site's Python marks for translation."""
    paths = [path for path in (ROOT / "survey_site").rglob("*.py") if "migrations" not in path.parts]
    return {text for path in paths for text in _marked(ast.parse(path.read_text(encoding="utf-8")))}


def _marked(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            words = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            if len(words) == len(node.args) or node.func.id == "ngettext":
                yield CONTEXT.join(words) if node.func.id == "pgettext" else words[0]


def template_strings() -> set[str]:
    """Every string that a template marks for translation."""
    paths = [path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.html")]
    templates = [engines["django"].get_template(path).template for path in paths]
    return {text for template in templates for text in map(_source, _translated(template.nodelist)) if text}


def _translated(nodes: Iterator[Node]) -> Iterator[Node]:
    for node in nodes:
        yield from node.get_nodes_by_type(TranslateNode)
        yield from node.get_nodes_by_type(BlockTranslateNode)


def _source(node: Node) -> str:
    if isinstance(node, BlockTranslateNode):
        source = node.render_token_list(node.singular)[0]
        return trim_whitespace(source) if node.trimmed else source
    context = node.message_context.var + CONTEXT if node.message_context else ""
    return context + str(node.filter_expression.var.literal or "")


def unmarked_text(path: Path) -> list[str]:
    """Words that a template shows without marking them for translation."""
    source = path.read_text(encoding="utf-8")
    for block in ("blocktranslate.*?endblocktranslate", "block page_class.*?endblock page_class"):
        source = re.sub(f"{{% {block} %}}", "", source, flags=re.DOTALL)
    source = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}", "", source, flags=re.DOTALL)
    reader = _Words()
    reader.feed(source)
    return reader.found


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        shown = {"aria-label", "title", "placeholder", "alt", "label", "data-busy"}
        self.found += [value for name, value in attrs if name in shown and value]

    def handle_data(self, data: str) -> None:
        self.found += re.findall(r"[^\W\d_]{2,}", data)


def unmarked_errors(path: Path) -> list[str]:
    """Messages of errors that a module raises without marking them for translation."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
            texts = [*node.args, *(keyword.value for keyword in node.keywords)]
            found += [ast.unparse(one) for one in texts if isinstance(one, ast.Constant | ast.JoinedStr)]
    return found


def catalogue(language: str, suffix: str) -> Path:
    return ROOT / "survey_site" / "locale" / language / "LC_MESSAGES" / f"django.{suffix}"


def read_po(path: Path) -> dict[str, list[str]]:
    """The translations of each string; several where it has plural forms. The header has the key ""."""
    entries: dict[str, list[str]] = {}
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        fields = re.findall(r'^(msg\w+)(?:\[\d\])? ((?:".*"\s*)+)', block, flags=re.MULTILINE)
        values = [(name, "".join(map(ast.literal_eval, text.splitlines()))) for name, text in fields]
        context = "".join(text + CONTEXT for name, text in values if name == "msgctxt")
        for source in [text for name, text in values if name == "msgid"]:
            entries[context + source] = [text for name, text in values if name == "msgstr"]
    return entries


def read_mo(path: Path) -> dict[str, list[str]]:
    """As `read_po`, from the compiled file."""
    with path.open("rb") as file:
        compiled = GNUTranslations(file)._catalog  # nothing public lists the strings
    entries: dict[str, list[str]] = {}
    for key, text in sorted(compiled.items(), key=lambda item: str(item[0])):
        entries.setdefault(key[0] if isinstance(key, tuple) else key, []).append(text)
    return entries
