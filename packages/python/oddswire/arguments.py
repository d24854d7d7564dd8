"""Reads the arguments of the command."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn


class ArgumentParser(argparse.ArgumentParser):
    """Its errors repeat no argument: some try to give the key there."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"oddswire: {_fault(message)} ({self.prog} --help)\n")


def _fault(message: str) -> str:
    option = re.match(r"argument (--[a-z-]+)", message)
    if option is not None:
        return f"{option[1]} has no value, or a wrong one"
    if message.startswith("the following arguments are required"):
        return message
    # A key can contain `--`: only what an argument begins with is a name.
    unknown = re.search(r"(?<!\S)--([a-z-]{1,20})(?=[\s=]|$)", message)
    if unknown is None:
        return "there is no such command or argument"
    if unknown[1] in ("key", "api-key"):
        return "the key is read from ODDSWIRE_KEY only"
    return f"there is no such option: --{unknown[1]}"
