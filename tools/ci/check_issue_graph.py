#!/usr/bin/env python3
"""Check the issue graph: `premath issue check`, then `premath dep diagnostics --graph-scope active`.

Both run; the exit code is the larger one. Arguments (`--issues PATH`, `--json`) go to both. With `--json` one document is
printed: {"action": "check_issue_graph", "issueCheck": ..., "dependencyDiagnostics": ...}, or the error of the first command
that gave no answer.
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKS = [
    ("issueCheck", ["issue", "check"]),
    ("dependencyDiagnostics", ["dep", "diagnostics", "--graph-scope", "active"]),
]


def main(arguments):
    launcher = ["sh", str(ROOT / "tools" / "premath")]
    as_json = "--json" in arguments
    report, code = {"action": "check_issue_graph"}, 0
    for name, check in CHECKS:
        sys.stdout.flush()
        ended = subprocess.run(launcher + check + arguments, stdout=subprocess.PIPE if as_json else None)
        if ended.returncode < 0:
            return 128 - ended.returncode
        code = max(code, ended.returncode)
        if as_json and ended.returncode > 1:
            sys.stdout.buffer.write(ended.stdout)
            return code
        if as_json:
            report[name] = json.loads(ended.stdout)
    if as_json:
        print(json.dumps(report, ensure_ascii=False, separators=(",", ":")))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
