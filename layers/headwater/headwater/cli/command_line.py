"""What the command lines of all commands share: a description, and examples below the options."""

import argparse
import textwrap


class Paragraphs(argparse.RawDescriptionHelpFormatter):
    """Fills paragraphs to the width of the terminal, and leaves examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.strip().split("\n\n")
        return "\n\n".join(each if "\n  " in each else _filled(each, width, indent) for each in paragraphs)


def _filled(paragraph: str, width: int, indent: str) -> str:
    return textwrap.fill(paragraph, width, initial_indent=indent, break_on_hyphens=False)


def command_parser(name: str, description: str | None, *examples: str, note: str = "") -> argparse.ArgumentParser:
    """A parser of `headwater NAME`. Each example is a whole command line; a note says more below them."""
    lines = ["example:" if len(examples) == 1 else "examples:", *(f"  {example}" for example in examples)]
    return argparse.ArgumentParser(
        prog=f"headwater {name}",
        description=description,
        epilog="\n".join([*lines, "", note] if note else lines),
        formatter_class=Paragraphs,
    )
