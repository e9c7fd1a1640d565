#!/usr/bin/env python3
"""Compute the throughput figure of the workers: `premath harness-kpi`.

Arguments are handed on, for example `--json` or `--as-of 2026-01-01T00:00:00Z`.
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main(arguments):
    os.execvp("sh", ["sh", str(ROOT / "tools" / "premath"), "harness-kpi", *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
