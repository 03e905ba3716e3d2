"""The command line: finds the command, runs it, and reports errors. The commands are in `askwise.commands`."""

import signal
import sys
from _thread import interrupt_main
from contextlib import suppress
from importlib import import_module
from threading import Timer

import click

from askwise.commands.common import Commands
from askwise.errors import AskwiseError
from askwise.version import __version__

COMMANDS = (
    "new",
    "add",
    "next",
    "answer",
    "label",
    "ask",
    "assign",
    "status",
    "rules",
    "columns",
    "review",
    "people",
    "clusters",
    "explain",
    "labels",
    "serve",
    "report",
    "doctor",
    "backup",
    "restore",
    "spark",
    "demo",
    "experiment",
)
"""In the order of their use; each is a file in `askwise.commands`."""


class LazyCommands(Commands):
    """The commands, which are imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, if there is one."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"askwise.commands.{cmd_name}").command
        return command


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="askwise")
def commands() -> None:
    """Entity resolution with people and models who make mistakes.

    Askwise keeps every vote, finds the most likely clusters, estimates how good they are, and asks the questions that
    matter most.
    """


def main() -> None:
    """Run a command. A failure is one clear line and a non-zero exit; SIGTERM (systemd, containers) is like Ctrl+C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.unraisablehook = _interrupt_again
    try:
        commands(prog_name="askwise", standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _fail("interrupted", 130)
    except SystemError as error:
        # An interrupt in the middle of compiled code arrives like this.
        if not _interrupted(error):
            raise
        _fail("interrupted", 130)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        _fail(_in_a_line(error), error.exit_code)
    except AskwiseError as error:
        _fail(str(error), 1)
    except OSError as error:
        about = f"{error.filename}: " if error.filename else ""
        _fail(f"{about}{error.strerror or error}", 1)
    else:
        for stop in (signal.SIGINT, signal.SIGTERM):  # all is done: an interrupt now must not look like a failure
            signal.signal(stop, signal.SIG_IGN)


def _in_a_line(error: click.ClickException) -> str:
    """What is wrong with the command line, and where to look it up."""
    message = " ".join(error.format_message().split())
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{message} (see {error.ctx.command_path} --help)"
    return message


def _interrupt_again(swallowed: "sys.UnraisableHookArgs") -> None:
    """An interrupt in the middle of a destructor would be printed and forgotten: interrupt what comes after it."""
    if issubclass(swallowed.exc_type, KeyboardInterrupt):
        Timer(0.01, interrupt_main).start()  # at once, it would be swallowed here, too
    else:
        sys.__unraisablehook__(swallowed)


def _interrupted(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _fail(message: str, code: int) -> None:
    """Print the reason and exit; output that could not be written is not tried again."""
    with suppress(OSError):
        click.echo(f"askwise: {message}", err=True)
    with suppress(OSError):
        sys.stdout.close()
    sys.exit(code)
