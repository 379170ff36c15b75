#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold every place that tells a version against include/perp/base.h: check_version.py CMAKE_TEXT [LIBPERP [PERP]]

CMAKE_TEXT is what CMake read; LIBPERP and PERP are the library and the command of the build. Then another
version is looked for, which no place may hold."""
import ctypes
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = {  # file: what it has to hold, in the words of expected()
    "CITATION.cff": r"^version: {released}\ndate-released: {date}$",
    "CHANGELOG.md": r"\A# Changelog\n[^#]*\n## {newest}\n",
    "README.md": r"^find_package\(perp {minor} REQUIRED\)$",
    "README.md ": r"\*\*How mature it is:\*\* version {minor},",
    "docs/VERSIONING.md": r"`find_package\(perp {minor}\)`",
    "docs/python.md": r"libperp\.so\.{minor}\b",
    "bindings/julia/Project.toml": r'^version = "{julia}"$',
    "bindings/julia/src/Perp.jl": r'"libperp\.so\.{minor}"',
    "bindings/python/perp/_c.py": r'^VERSION = "{version}"$',
    "packaging/debian/control": r"^Package: libperp{minor}$",
    "packaging/debian/libperp{minor}.install": r"libperp\.so\.\*$",
    "tests/package/CMakeLists.txt": r"find_package\(perp {minor} REQUIRED\)",
}


def expected(changelog):
    version = subprocess.run([ROOT / "scripts/version"], check=True, capture_output=True, text=True).stdout.strip()
    if not re.fullmatch(r"\d+\.\d+\.\d+(-dev)?", version):
        sys.exit(f"include/perp/base.h: what version is {version}?")
    released, date = re.search(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)$", changelog, re.M).groups()
    number = [int(part) for part in version.split("-")[0].split(".")]
    if version.endswith("-dev") != (number > [int(part) for part in released.split(".")]):
        sys.exit(f"base.h says {version}, the last release in CHANGELOG.md is {released}")
    values = {"version": version, "minor": ".".join(map(str, number[:2])), "julia": version.replace("-dev", "-DEV"),
              "released": released, "date": date, "newest": "Unreleased" if "-" in version else f"{released} - {date}"}
    return {key: re.escape(value) for key, value in values.items()}, version


def wrong_places(values):
    wrong = []
    for file, pattern in PLACES.items():
        path = ROOT / file.strip().replace("{minor}", values["minor"].replace("\\", ""))
        if not (path.exists() and re.search(pattern.format(**values), path.read_text(), re.M | re.S)):
            wrong.append(file.strip())
    return wrong


def main(cmake, library=None, command=None):
    values, version = expected((ROOT / "CHANGELOG.md").read_text())
    wrong = wrong_places(values)
    if cmake != version:
        wrong.append(f"CMakeLists.txt ({cmake})")
    if library:
        perp = ctypes.CDLL(library)
        perp.perp_version_string.restype = ctypes.c_char_p
        if perp.perp_version_string().decode() != version:
            wrong.append(library)
        if perp.perp_version() != sum(int(n) * f for n, f in zip(version.split("-")[0].split("."), (10000, 100, 1))):
            wrong.append(f"{library}, as a number")
    if command:
        said = subprocess.run([command, "--version"], check=True, capture_output=True, text=True).stdout
        if said != f"perp {version}\n":
            wrong.append(f"{command}: {said}")
    if wrong:
        sys.exit(f"not of version {version}: {', '.join(wrong)}")
    unseen = len(PLACES) - len(wrong_places({key: value + "9" for key, value in values.items()}))
    if unseen:
        sys.exit(f"{unseen} places would hold another version, too")
    print(f"{version}: {len(PLACES)} places agree")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
