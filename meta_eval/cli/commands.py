"""The commands by name. The module of one is imported when it is called or asked for its options, not before.

What counts, draws and correlates takes a second to import; the list of commands and a mistyped one need none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from meta_eval.cli.own_measures import take_own_measures

Command = TyperCommand | TyperGroup


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """Where a command is, and what the list of commands says of it, in a line of 58 characters at most.

    One that `names_measures` takes measures of one's own, too.
    """

    module: str
    attribute: str
    summary: str
    names_measures: bool = False

    def load(self, name: str) -> Command:
        """The command itself, or the group of commands, with that name."""
        found = getattr(import_module(f"meta_eval.cli.{self.module}"), self.attribute)
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=CONTEXT)
        if isinstance(found, typer.Typer):
            alone.add_typer(found, name=name)
        else:
            alone.command(name)(found)
        made: Command = get_group(alone).commands[name]  # type: ignore[assignment]  # Typer makes no others
        if self.names_measures:
            for command in getattr(made, "commands", {name: made}).values():
                if not isinstance(made, TyperGroup) or _names_measures(command):
                    take_own_measures(command)
        return made


_OF_MEASURES = frozenset({"measure", "surrogate", "explanation_measure"})
"""Parameters of commands in a group that take measures."""


def _names_measures(command: Any) -> bool:
    return any(parameter.name in _OF_MEASURES for parameter in command.params)


CONTEXT = {"help_option_names": ["-h", "--help"]}

COMMANDS: Mapping[str, CommandEntry] = {
    "import-pens": CommandEntry("scoring", "import_pens", "Turn PENS files into consolidated JSONL."),
    "import-feedback": CommandEntry(
        "indirect", "import_feedback", "Read the ratings of summaries that OpenAI released."
    ),
    "import-ratings": CommandEntry("moving", "import_ratings", "Read ratings from Label Studio or Potato."),
    "export-responses": CommandEntry(
        "scoring", "export_responses", "Write ratings as the papers' own survey kept them."
    ),
    "score": CommandEntry(
        "scoring", "score", "Score systems automatically: EGISES, PerSEval, ...", names_measures=True
    ),
    "human": CommandEntry(
        "scoring", "human", "Score systems from people's ratings: PerSEval-HJ, ...", names_measures=True
    ),
    "correlate": CommandEntry(
        "agreement", "correlate", "Correlate human with automatic scores over systems."
    ),
    "compare": CommandEntry(
        "comparing", "compare", "Say which measure agrees better with people.", names_measures=True
    ),
    "stability": CommandEntry(
        "analysis", "stability", "Score from fewer documents: how much scores move.", names_measures=True
    ),
    "ablate": CommandEntry(
        "analysis", "ablate", "Vary the penalty's beta: how the agreement moves.", names_measures=True
    ),
    "aggregate": CommandEntry("analysis", "aggregate", "Rank by PerSEval and accuracy together."),
    "paradox": CommandEntry("analysis", "paradox", "Correlate the rankings by DEGRESS and by PerSEval."),
    "generate": CommandEntry(
        "generating", "generate", "Let models write headlines, with six styles of prompts."
    ),
    "paradoxes": CommandEntry(
        "probes",
        "paradoxes",
        "Find richer prompts that do no better (iCOPERNICUS).",
        names_measures=True,
    ),
    "indirect": CommandEntry(
        "indirect", "indirect", "Score from ratings of summaries, without readers.", names_measures=True
    ),
    "judge": CommandEntry(
        "judging", "judge", "Let language models judge, as people do.", names_measures=True
    ),
    "users": CommandEntry("users", "users", "Score summaries of users by what they predict."),
    "deviations": CommandEntry(
        "thesis",
        "deviations",
        "Say whether two measures deviate alike, without ratings.",
        names_measures=True,
    ),
    "penalties": CommandEntry(
        "thesis", "penalties", "Set ROUGE beside P-ROUGE over pairs of readers.", names_measures=True
    ),
    "insensitivity": CommandEntry(
        "thesis", "insensitivity", "Count readers who differ and are treated alike.", names_measures=True
    ),
    "vectors": CommandEntry("vectors", "vectors", "Encode each word of a corpus, for jsd-oov."),
    "plan": CommandEntry("planning", "plan", "Say how sure so many documents and raters will make you."),
    "report": CommandEntry(
        "report", "report", "Make the whole report of a corpus and ratings.", names_measures=True
    ),
    "publish": CommandEntry("publishing", "publish", "Lay out a report as the papers' tables."),
    "verify": CommandEntry(
        "bundles", "verify", "Recompute every number of a sealed report.", names_measures=True
    ),
    "measures": CommandEntry(
        "scoring", "measures", "List the measures and their options.", names_measures=True
    ),
    "distances": CommandEntry(
        "storage", "distances", "Write or score distances as CSV files.", names_measures=True
    ),
    "store": CommandEntry("storage", "store", "Look into a store of distances, and clean it up."),
    "bench": CommandEntry("benchmarks", "bench", "Measure speed and memory beside other libraries."),
}
"""In the order in which the list of commands shows them."""


class _Loaded(Mapping[str, Command]):
    """Each command when it is asked for."""

    def __getitem__(self, name: str) -> Command:
        return COMMANDS[name].load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Commands(TyperGroup):
    """The group of all commands, which lists them without importing any."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Loaded()  # type: ignore[assignment]  # nobody adds to it

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - Typer's signature
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])
