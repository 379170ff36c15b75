#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold docs/from-siconos.md against include/perp and bindings: check_siconos.py

Every name of ours in its tables is declared. What a row calls "planned" or "open" has no name here, so that a row
is found to be stale when the thing comes; what it calls "yes" or "part" has one, or a page. Then faults are planted,
and have to be found."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "from-siconos.md"
VERDICTS = ("yes", "part", "planned", "open", "no")


def declared():
    """Identifiers of the headers without their comments, and the folders of bindings."""
    names = {path.name for path in (ROOT / "bindings").iterdir()} | {path.stem for path in (ROOT / "include" / "perp").iterdir()}
    for header in (ROOT / "include" / "perp").glob("*.h"):
        names |= set(re.findall(r"[A-Za-z_]\w*", re.sub(r"/\*.*?\*/|//[^\n]*", " ", header.read_text(), flags=re.S)))
    return names


def ours(cell):
    """What a cell names of perp: functions, types and constants, and options, which stand alone between backticks."""
    names = []
    for code in re.findall(r"`([^`]+)`", re.sub(r"\$`[^`]*`\$", " ", cell)):
        names += re.findall(r"\b(?:perp|PERP)_\w*\w\b(?!\.\.\.)", code)
        if re.fullmatch(r"[a-z]\w*", code) and not code.startswith("perp_"):
            names.append(code)
    return names


def theirs(cell):
    """The stems by which a thing of theirs would be known here: D1MinusLinearOSI is d1_minus_linear."""
    words = re.findall(r"[A-Za-z]\w{4,}", cell)
    stems = {re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"(OSI|NSL|DS|R)$", "", word)).lower() for word in words}
    return {stem for stem in stems if len(stem) > 5}


def faults_of(page, names):
    wrong, verdicts = [], 0
    lower = {name.lower() for name in names}
    for number, line in enumerate(page.split("\n"), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| ") else []
        if len(cells) not in (2, 3) or set(cells[-1]) <= set("-: "):
            continue
        known = [name for name in ours(cells[1]) if name in names]
        wrong += [f"{number}: {name} is not in the headers" for name in ours(cells[1]) if name not in names]
        verdict = re.match(r"\w+", cells[2])[0] if len(cells) == 3 and cells[2] else None
        if verdict not in VERDICTS:
            continue
        verdicts += 1
        if verdict in ("yes", "part") and not known and "](" not in cells[1] and not re.search("perp::|callback|arrays", cells[1]):
            wrong.append(f"{number}: {verdict}, but nothing of perp is named: {cells[1]}")
        if verdict in ("planned", "open"):
            there = [name for stem in theirs(cells[0]) for name in lower if stem in name]
            wrong += [f"{number}: {verdict}, but there is {name}" for name in there]
    if verdicts < 100:
        wrong.append(f"only {verdicts} verdicts were found")
    return wrong


def main():
    page, names = PAGE.read_text(), declared()
    wrong = faults_of(page, names)
    if wrong:
        raise SystemExit("\n".join(f"docs/from-siconos.md:{line}" for line in wrong))
    row = "| `SomethingOSI` | `perp_model` | yes |"
    planted = {"a name that is gone": row.replace("perp_model", "perp_modell"), "an option that is gone": row.replace("perp_model", "projectiles"),
               "yes to nothing": row.replace("`perp_model`", "something"), "planned, and there": "| `SchatzmanPaoliOSI` | | planned |",
               "planned, and there as a package": "| Python through SWIG | | planned |"}
    for what, line in planted.items():
        if not faults_of(page + "\n" + line + "\n", names):
            raise SystemExit(f"a planted fault was not found: {what}")
    print(f"docs/from-siconos.md: all names are declared; {len(planted)} planted faults were found")


if __name__ == "__main__":
    sys.exit(main())
