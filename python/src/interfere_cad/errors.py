"""Errors and warnings with the codes of docs/reference/import-protocol.md."""

from __future__ import annotations

import sys


class Refused(Exception):
    """The input gives no assembly.

    ``code`` is the code of the error; the text says what is wrong and what would fix it.
    """

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code

    def __str__(self) -> str:
        return f"{self.code}: {super().__str__()}"


class Notes:
    """Collects the warnings of one import, in the order of their discovery."""

    def __init__(self) -> None:
        self.warnings: list[tuple[str, str]] = []

    def warn(self, code: str, message: str) -> None:
        """Adds a warning."""
        self.warnings.append((code, message))

    def print(self, stream=None) -> None:
        """Prints one ``warning:`` line for each warning, to stderr by default."""
        for code, message in self.warnings:
            print(f"warning: {code}: {one_line(message)}", file=stream or sys.stderr)


def one_line(text: str) -> str:
    """Replaces line ends and control characters by spaces: each message is one line."""
    return "".join(c if c.isprintable() else " " for c in text)


def listed(names: list[str], most: int = 10) -> str:
    """Joins names by commas: the first ``most``, then the count of the rest."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
