#!/usr/bin/env python3
"""Run the harness-typestate vectors of this repository: `premath conformance-run --suite harness-typestate`.

Further arguments are handed on, for example `--json`.
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def names(flag, arguments):
    return any(argument == flag or argument.startswith(flag + "=") for argument in arguments)


def main(arguments):
    command = ["sh", str(ROOT / "tools" / "premath"), "conformance-run"]
    if not names("--suite", arguments):
        command += ["--suite", "harness-typestate"]
    if not names("--path", arguments):
        command += ["--path", str(ROOT / "conformance")]
    os.execvp("sh", command + arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
