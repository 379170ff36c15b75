#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compile and run the whole programs that pages show: check_programs.py LANGUAGE AT_LEAST COMMAND...

Each block ```LANGUAGE of docs/*.md that has a main program goes to a file, which COMMAND compiles, with {in} and {out}
in it; it has to end with 0."""
import pathlib
import re
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
WHOLE = {"c": r"^int main\(void\)", "fortran": r"^program \w+"}
SUFFIX = {"c": ".c", "fortran": ".f90"}


def main():
    language, least, *command = sys.argv[1:]
    ran = 0
    for page in sorted(DOCS.glob("*.md")):
        for block in re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S):
            if not re.search(WHOLE[language], block, re.M):
                continue
            with tempfile.TemporaryDirectory() as folder:
                source, program = pathlib.Path(folder, "program" + SUFFIX[language]), pathlib.Path(folder, "program")
                source.write_text(block)
                subprocess.run([part.replace("{in}", str(source)).replace("{out}", str(program)) for part in command],
                               check=True, cwd=folder)
                done = subprocess.run([str(program)], stdout=subprocess.PIPE, universal_newlines=True)
            ran += 1
            print(f"docs/{page.name}: {done.stdout.strip().splitlines()[-1:] or ['(silent)']}")
            if done.returncode != 0:
                raise SystemExit(f"docs/{page.name}: a program ended with {done.returncode}")
    if ran < int(least):
        raise SystemExit(f"only {ran} programs were found")


if __name__ == "__main__":
    main()
