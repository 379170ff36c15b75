#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/generated/firmware.md: the same programs on all processors and compilers, and the stack of functions.

cores.py --write | --check | --list
    reads and runs what scripts/test-embedded has built; --check compares with the page, numbers within 2 %.
    Fails, in any case, where a function takes more than 2 KiB of the stack that is not in REASONS with a
    reason, and where a reason has become unnecessary. --list: all functions by their stack."""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import report  # noqa: E402

BUILD = report.ROOT / "build" / "embedded"
PAGE = report.ROOT / "docs" / "generated" / "firmware.md"
CORES = {"cortex-m0plus": ("M0+", "none"), "cortex-m3": ("M3", "none"), "cortex-m4": ("M4F", "single"),
         "cortex-m7": ("M7", "double"), "cortex-m33": ("M33", "single"), "riscv32": ("RV32IMAC", "none")}
PROGRAMS = {"bouncing_ball": "ball", "foot_contact": "feet", "sliding_mode": "control"}
NOTES = {"instructions": r"# instructions of the worst \w+ (\d+)", "stack": r"# stack of a \w+ (\d+)"}
SHOWN, MOST = 1024, 2048
TABLE = "a table on the stack, by descriptor and for up to 16 unknowns"
REASONS = {("run", "solver/small.c"): f"Lemke's path and principal pivots: {TABLE}", ("solve", "solver/small.c"): f"Lemke's method: {TABLE}"}
ENTRIES = {"perp_lcp_lemke": "measure_lemke", "perp_contact_2d": "measure_contact_2d", "perp_contact_3d": "measure_contact_3d"}


def tool(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def compilers():
    return (f"{report.compiler()}, riscv64-unknown-elf-gcc {tool('riscv64-unknown-elf-gcc', '-dumpfullversion').strip()}, "
            f"clang {re.search(r'version ([0-9.]+)', tool('clang', '--version'))[1]}")


def memory(image):
    """Bytes of flash (code, constants, what initialises data) and of static memory in an image."""
    flash = ram = 0
    for line in tool("readelf", "-SW", str(image)).splitlines():
        found = re.match(r"  \[ *\d+\] (\.\S+) +(\S+) +[0-9a-f]{8} [0-9a-f]{6} ([0-9a-f]{6}) [0-9a-f]{2} +([A-Za-z]*) ", line)
        if not found or "A" not in found[4] or found[1] == ".stack":
            continue
        size = int(found[3], 16)
        flash += size if found[2] != "NOBITS" else 0
        ram += size if "W" in found[4] else 0
    return flash, ram


def run(image):
    command = pathlib.Path(f"{image}.run").read_text().split(";")
    text = tool(*command)
    return {name: int(found[1]) for name, pattern in NOTES.items() if (found := re.search(pattern, text))}


def cores():
    rows = []
    for cpu, (core, unit) in CORES.items():
        for compiler in ("gcc", "clang"):
            cells = [core, unit, compiler]
            for name in PROGRAMS:
                image = BUILD / (cpu if compiler == "gcc" else f"clang-{cpu}") / "bin" / f"embedded_{name}"
                counts = run(image)
                flash, ram = memory(image)
                cells += [report.number(flash), report.number(ram)]
                cells += [report.number(counts[what]) for what in NOTES if what in counts]
            rows.append(cells)
    head = ["core", "unit", "compiler"]
    for name in PROGRAMS.values():
        head += [f"{name}: flash", "RAM", "instructions"] + (["stack"] if name != "control" else [])
    return report.table(head, rows)


def plain(title):
    """The name of a function in the source, of its name in a call graph."""
    return re.sub(r"\.(lto_priv|constprop|isra|part|cold)\b.*$", "", title.split(":")[-1])


def call_graphs(cpu):
    """Of the images that are measured, as they are linked now: the golden image is linked without graphs."""
    files = [BUILD / cpu / "bin" / f"{image.stem}.ltrans0.ltrans.ci" for image in (BUILD / cpu / "bin").glob("measure_*.run")]
    if not files:
        raise SystemExit(f"no call graphs in {BUILD / cpu}: run scripts/test-embedded")
    return files


def graph(file):
    """{function: bytes}, {function: [functions that it calls]} of a .ci file of gcc."""
    text = file.read_text()
    own, origin = {}, {}
    for title, label in re.findall(r'node: \{ title: "([^"]*)" label: "([^"]*)"', text):
        size = re.search(r"/c/(\w+/\w+\.[ch]):.*\\n(\d+) bytes \((\w+)", label)
        if size:
            if size[3] != "static":
                raise SystemExit(f"{file}: {title}: the frame is {size[3]}")
            own[title] = int(size[2])
            origin[title] = size[1]
    calls = collections.defaultdict(set)
    for source, target in re.findall(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"', text):
        calls[source].add(target)
    return own, calls, origin


def functions():
    """{(function, file): {column: bytes}}: gcc's images as they are linked, and all sources as clang compiles them for the M7."""
    found = collections.defaultdict(lambda: collections.defaultdict(int))

    def note(function, column, size):
        found[function][column] = max(found[function][column], size)
    for cpu in ("cortex-m7", "cortex-m4"):
        for file in call_graphs(cpu):
            own, _, origin = graph(file)
            for title, size in own.items():
                note((plain(title), origin[title]), CORES[cpu][0], size)
    compiled = list((BUILD / "clang-cortex-m7" / "CMakeFiles" / "perp_core.dir").rglob("*.su"))
    sources = re.search(r"set\(PERP_CORE_SOURCES\n(.*?)\)", (report.ROOT / "cmake" / "sources.cmake").read_text(), re.S)[1].split()
    if len(compiled) != len(sources):
        raise SystemExit(f"clang-cortex-m7 tells the stack of {len(compiled)} files, not {len(sources)}: run scripts/test-embedded")
    for file in compiled:
        for line in file.read_text().splitlines():
            place, size, kind = line.split("\t")
            if kind != "static":
                raise SystemExit(f"{place}: the frame is {kind}")
            note((place.split(":")[-1], place.split("/c/")[1].split(":")[0]), "clang", int(size))
    return found


def depth(file, entry):
    """Most bytes of stack of a function and below it, by the calls that the compiler saw, without what it
    calls by a pointer; fails where it calls itself."""
    own, calls, _ = graph(file)
    at = [title for title in own if plain(title) == entry]
    if len(at) != 1:
        raise SystemExit(f"{file}: {entry} is there {len(at)} times")
    done = {}

    def below(title, path):
        if title in path:
            raise SystemExit(f"{file}: {entry} calls itself by {title}")
        if title not in done:
            done[title] = own.get(title, 0) + max((below(target, path | {title}) for target in calls[title]), default=0)
        return done[title]
    return below(at[0], frozenset())


def stack(found):
    columns = ("M7", "M4F", "clang")
    rows = []
    for (name, file), sizes in sorted(found.items(), key=lambda item: (-max(item[1].values()), item[0])):
        if max(sizes.values()) > SHOWN:
            rows.append([f"`{name}`", file, *(report.number(sizes[c]) if c in sizes else "" for c in columns), REASONS.get((name, file), "")])
    return report.table(["function", "in", "M7", "M4F", "M7, clang", "why"], rows)


def depths():
    rows = []
    for entry, image in ENTRIES.items():
        rows.append([f"`{entry}()`", *(report.number(depth(BUILD / cpu / "bin" / f"{image}.ltrans0.ltrans.ci", entry))
                                       for cpu in ("cortex-m7", "cortex-m4"))])
    return report.table(["call", "M7", "M4F"], rows)


def faults(found):
    most = {name: max(sizes.values()) for name, sizes in found.items()}
    wrong = [f"{': '.join(name[::-1])} takes {size} bytes of the stack, more than {MOST}" for name, size in most.items()
             if size > MOST and name not in REASONS]
    return wrong + [f"{': '.join(name[::-1])} has a reason for more than {MOST} bytes of the stack, and takes {most.get(name, 0)}"
                    for name in REASONS if most.get(name, 0) <= MOST]


def page(found):
    kept = sum(max(sizes.values()) <= SHOWN for sizes in found.values())
    return "\n".join([
        "<!-- Written by bench/embedded/cores.py: do not edit. -->", "# Firmware, measured", "",
        "The programs of `examples/embedded` on all processors in QEMU: the same sources, `-Os`, gcc with `PERP_LTO`, clang "
        "file by file; each writes the bits of the host. See [firmware](../embedded.md).", "",
        f"Compilers: {compilers()}.", "", "## Cores and compilers", "",
        "*Unit*: what it does in hardware. *Flash*: the whole image, with the compiler's arithmetic and libc. *RAM*: static memory; "
        "*stack* and *instructions*: most that a step (ball), a period (feet, control) took. M0+ runs on a micro:bit, with 16 KiB.", "",
        cores(), "## Stack by function", "",
        f"Bytes; functions with more than {SHOWN}. The others, {kept}, take less. M7 and M4F: as gcc links them into the measured images; "
        f"clang: all files of the core. More than {MOST} takes a reason.", "", stack(found),
        "The most that a call takes, with all that it calls, by gcc's graph of calls; no recursion. Not in it: an "
        "observer of yours, the compiler's arithmetic.", "", depths()])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    for name in ("write", "check", "list"):
        action.add_argument(f"--{name}", action="store_true")
    wanted = parser.parse_args()
    found = functions()
    if wanted.list:
        for (name, file), sizes in sorted(found.items(), key=lambda item: -max(item[1].values())):
            print(f"{name:32} {file:36} " + " ".join(f"{core} {size:6}" for core, size in sizes.items()))
        return 0
    wrong = faults(found)
    if wrong:
        print("\n".join(wrong))
        return 1
    if wanted.write:
        PAGE.write_text(page(found))
        return 0
    old = PAGE.read_text()
    theirs = re.search(r"^Compilers: (.*)\.$", old, re.M)
    if theirs and theirs[1] != compilers():
        print(f"NOT COMPARED: docs/generated/firmware.md was measured with {theirs[1]}, here are {compilers()}")
        return 0
    bad = report.differences(old, page(found))
    if bad:
        print("docs/generated/firmware.md (-) is not what is measured (+); if it is meant: bench/embedded/cores.py --write")
        print("\n".join(bad))
        return 1
    print("docs/generated/firmware.md tells what is measured")
    return 0


if __name__ == "__main__":
    sys.exit(main())
