"""What the command lines of all commands share: a description, and examples below the options."""

import argparse


def command_parser(name: str, description: str | None, *examples: str, note: str = "") -> argparse.ArgumentParser:
    """A parser of `headwater NAME`. Each example is a whole command line; a note says more below them."""
    lines = ["example:" if len(examples) == 1 else "examples:", *(f"  {example}" for example in examples)]
    return argparse.ArgumentParser(
        prog=f"headwater {name}",
        description=description,
        epilog="\n".join([*lines, "", note] if note else lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
