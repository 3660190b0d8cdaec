"""ncs completion: print what makes a shell complete commands and options."""

import argparse
from typing import Literal

import tyro
from pydantic import Field

from ncs.cli.command import Command
from ncs.cli.console import report


class Completion(Command):
    """Print what makes a shell complete commands, options and their values.

    For bash: 'ncs completion bash > ~/.local/share/bash-completion/completions/ncs'. For zsh:
    'ncs completion zsh > DIR/_ncs', where DIR is one of $fpath. For fish:
    'ncs completion fish > ~/.config/fish/completions/ncs.fish'. New shells then know it.
    """

    shell: tyro.conf.Positional[Literal["bash", "zsh", "fish"]] = Field(description="which shell")

    def run(self) -> None:
        """Prints the script."""
        import shtab

        script = shtab.complete(parser_of_all(), shell=self.shell)
        report(script, {"shell": self.shell, "script": script}, self.as_json)


def parser_of_all() -> argparse.ArgumentParser:
    """Every command and its options as one parser, which is read and never used to parse."""
    from ncs.cli.commands import command_class, find_commands

    parser = argparse.ArgumentParser(prog="ncs")
    parser.add_argument("--version", action="store_true", help="print the version")
    commands = parser.add_subparsers()
    for name, entry in find_commands().items():
        _add_options(commands.add_parser(name, help=entry.summary), command_class(name))
    return parser


def _add_options(parser: argparse.ArgumentParser, command: type[Command]) -> None:
    """The options of one command, files completed where files are meant."""
    import shtab

    from ncs.cli import options

    files = parser.add_argument(options.CONFIG, help="a TOML file of options")
    files.complete = shtab.FILE  # type: ignore[attr-defined]
    for name, field in command.model_fields.items():
        choices = options.choices_of(command, name) or known_names(name)
        text = options.described(field).replace("%", "%%")
        if field.annotation is bool:
            parser.add_argument(options.flag_of(name), action="store_true", help=text)
            continue
        by_place = options.is_positional(field)
        flags = (name,) if by_place else tuple(sorted(options.flags_of(command, name)))
        added = parser.add_argument(*flags, help=text, choices=choices or None)
        if "Path" in str(field.annotation):
            added.complete = shtab.FILE  # type: ignore[attr-defined]


def known_names(setting: str) -> tuple[str, ...]:
    """What goes by a name that is looked up here: worlds, methods and extensions."""
    from ncs.registry import names

    if setting == "world":
        return tuple(names("world"))
    if setting == "method":
        from ncs.agent.methods import MAKERS

        return (*MAKERS, *names("policy"))
    if setting in ("without", "only"):
        from ncs.control.extensions import EXTENSIONS, EYES

        return (*EYES, *EXTENSIONS)
    return ()
