#!/usr/bin/env python3
"""Runs `selvedge check` as a test of Meson: exit code 77 says `skipped` where nothing can be said.

    selvedge_check.py [--require-proof] SELVEDGE ARGUMENTS...
"""

import subprocess
import sys


def main():
    arguments = sys.argv[1:]
    require_proof = arguments[:1] == ["--require-proof"]
    if require_proof:
        del arguments[0]
    if not arguments:
        sys.exit(__doc__)
    code = subprocess.run(arguments[:1] + ["check"] + arguments[1:], check=False).returncode
    # 5: a limit, or something unsupported. Meson takes 77 for a test that was skipped.
    sys.exit(77 if code == 5 and not require_proof else code)


if __name__ == "__main__":
    main()
