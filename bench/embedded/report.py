#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Flash, memory, stack and instructions of the core in firmware, for docs/embedded.md.

report.py --write   runs the images of target measure and writes the tables into the page
report.py --functions build/embedded/cortex-m7/bin/measure_lemke   lists what the image is made of
report.py --check   compares them with the page: every number within 2 %, every word the same
Either leaves what it measured in build/embedded/report.json, where scripts/figures finds it.
The builds are build/embedded/cortex-m7 and cortex-m4, as scripts/test-embedded makes them."""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "embedded.md"
BEGIN, END = "<!-- measured: bench/embedded/report.py --write -->\n", "<!-- end of what is measured -->\n"
CPUS = {"cortex-m7": "M7", "cortex-m4": "M4F"}
TOLERANCE = 0.02
FRICTION = ("contact_2d", "contact_3d", "nsgs", "nsgs_small", "admm", "friction_newton", "friction_interior", "friction_lemke")


def functions(image):
    """{function or constant: bytes} of perp in an image, from its link map: what the linker took from
    libperp_core.a or made of it, so neither the board, nor libc, nor the compiler's arithmetic."""
    text = pathlib.Path(f"{image}.map").read_text().split("Linker script and memory map")[1]
    pattern = (r"^ \.((?:text|rodata|data)\S*)\s+0x[0-9a-f]+\s+0x([0-9a-f]+)\s+"
               r"\S*(?:libperp_core\.a\(\S+\)|\.ltrans\S*)$")
    taken = {}
    for name, size in re.findall(pattern, text, re.M):
        taken[name] = taken.get(name, 0) + int(size, 16)
    return taken


def objects(cpu):
    """{object file: bytes} of code and constants in libperp_core.a, each compiled by itself."""
    library = ROOT / "build" / "embedded" / cpu / "libperp_core.a"
    done = subprocess.run(["arm-none-eabi-size", str(library)], capture_output=True, text=True, check=True)
    return {row[5]: int(row[0]) + int(row[1]) for row in (line.split() for line in done.stdout.splitlines()[1:])}


def flash(image):
    taken = sum(functions(image).values())
    if taken == 0:
        raise SystemExit(f"{image}.map: nothing of libperp_core.a")
    return taken


def run(image):
    """The rows that an image writes: dictionaries with n, problems, solved, median, ..."""
    command = pathlib.Path(f"{image}.run").read_text().split(";")
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{image} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    rows = []
    for name, value in re.findall(r"^# (\w+) (\d+)$", done.stdout, re.M):
        if name == "n":
            rows.append({})
        rows[-1][name] = int(value)
    if not rows:
        raise SystemExit(f"{image} wrote no rows\n{done.stdout}")
    return rows


def measure():
    """{cpu: {name: (flash, rows)}} of all images."""
    results = {}
    for cpu in CPUS:
        folder = ROOT / "build" / "embedded" / cpu / "bin"
        images = sorted(p.with_suffix("") for p in folder.glob("measure_*.run"))
        if not images:
            raise SystemExit(f"no images in {folder}: run scripts/test-embedded")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            rows = list(pool.map(run, images))
        results[cpu] = {image.name[len("measure_"):]: (flash(image), r) for image, r in zip(images, rows)}
    return results


def keep(file, compiled, values):
    """Leave measured values in build/embedded, for scripts/figures."""
    (ROOT / "build" / "embedded" / file).write_text(json.dumps({"compiler": compiled, "values": values}, indent=1) + "\n")


def named(results):
    """{"embedded.SOLVER.CPU.flash": bytes, "embedded.SOLVER.CPU.N.median": ...,
    "embedded.object.CPU.SOURCE": bytes}."""
    values = {}
    for cpu, images in results.items():
        for source, size in objects(cpu).items():
            values[f"embedded.object.{CPUS[cpu].lower()}.{source.split('.')[0]}"] = size
        for name, (size, rows) in images.items():
            key = f"embedded.{name}.{CPUS[cpu].lower()}"
            values[f"{key}.flash"] = size
            for row in rows:
                values.update({f"{key}.{row['n']}.{field}": value for field, value in row.items()})
    return values


def compiler():
    done = subprocess.run(["arm-none-eabi-gcc", "-dumpfullversion"], capture_output=True, text=True, check=True)
    return f"arm-none-eabi-gcc {done.stdout.strip()}"


def not_compared():
    """Why the pages cannot be compared here: another compiler than theirs; None if they can."""
    theirs = re.search(r"^Compiler: (.*)\.$", PAGE.read_text(), re.M)
    if theirs and theirs[1] != compiler():
        return f"NOT COMPARED: docs/embedded.md was measured with {theirs[1]}, here is {compiler()}"
    return None


def number(value):
    return f"{value:,}".replace(",", " ")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join("---" if i == 0 else "--:" for i in range(len(head))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def title(name):
    return name.replace("_", " ")


def sizes_table(m7, m4, names):
    rows = []
    for name in names:
        used = " / ".join(number(row["work"]) for row in m7[name][1])
        stack = [max(row["stack"] for row in m[name][1]) for m in (m7, m4)]
        rows.append([title(name), number(m7[name][0]), number(m4[name][0]),
                     " / ".join(str(row["n"]) for row in m7[name][1]), used, *map(number, stack)])
    return table(["solver", "flash M7", "flash M4F", "n", "memory at n", "stack M7", "stack M4F"], rows)


def thousands(value):
    """Three digits of so many thousands."""
    return f"{value / 1000:.{max(0, 3 - len(str(value // 1000))) if value >= 1000 else 3}f}"


def counts_table(m7, m4, names):
    rows = []
    for name in names:
        both = list(zip(m7[name][1], m4[name][1]))
        for a, b in both[:1] + both[1:][-1:]:  # the smallest and the largest problem
            short = "" if a["solved"] == a["problems"] else f', {number(a["problems"] - a["solved"])} unsolved'
            rows.append([title(name) + short, str(a["n"]), *(thousands(m[field]) for m in (a, b) for field in ("median", "maximum"))])
    return table(["solver", "n", "M7 median", "M7 most", "M4F median", "M4F most"], rows)


def targets(m7, m4):
    """What the core was asked for, and what it does."""
    rows = []

    def line(what, asked, value, met):
        rows.append([what, asked, value, "yes" if met else "no"])

    lemke = m7["lemke"]
    for cpu, m in (("M7", m7), ("M4F", m4)):
        line(f"Lemke's method for plain arrays, {cpu}", "8 192 bytes of flash", number(m["lemke"][0]), m["lemke"][0] <= 8192)
    over = [row for row in lemke[1] if row["work"] > 8 * row["n"] * (row["n"] + 8) + 512]
    line("memory of Lemke's method", "8 n (n + 8) + 512 bytes",
         " / ".join(number(row["work"]) for row in lemke[1]) + " at " + " / ".join(str(row["n"]) for row in lemke[1]),
         not over)
    for cpu, m, most in (("M7", m7, 49152), ("M4F", m4, 56000)):
        step = m["step_nsgs_small"][0]
        line(f"LCP, friction by nsgs small, Moreau–Jean, {cpu}", f"{number(most)} bytes of flash", number(step), step <= most)
    for name in sorted(n for n in m7 if n.startswith("hard")):
        for row in m7[name][1]:
            ratio = row["maximum"] / row["median"]
            line(f'{title(name)[len("hard "):]}, n = {row["n"]}: {number(row["solved"])} of {number(row["problems"])} solved to 1e-9',
                 "all, and maximum at most 3 medians",
                 f'{number(row["maximum"])} / {number(row["median"])} = {ratio:.2f}',
                 ratio <= 3 and row["solved"] == row["problems"])
    return table(["what", "asked for", "measured", "met"], rows)


def page(results):
    m7, m4 = results["cortex-m7"], results["cortex-m4"]
    steps = [n for n in m7 if n.startswith("step_")]
    hard = [n for n in m7 if n.startswith("hard")]
    solvers = [n for n in m7 if n not in steps + hard]
    friction = [n for n in solvers if n in FRICTION]
    plain = [n for n in solvers if n not in friction]
    return "\n".join([
        f"Compiler: {compiler()}.\n",
        "### What was asked for\n", targets(m7, m4),
        "### Flash, memory and stack (bytes)\n", sizes_table(m7, m4, plain + friction + steps),
        "### Instructions of a solve or a step, in thousands\n", counts_table(m7, m4, plain + friction + steps)])


def differences(old, new):
    """Lines that differ by more than the tolerance."""
    old, new = old.splitlines(), new.splitlines()
    if len(old) != len(new):
        return [f"{len(old)} lines in the page, {len(new)} measured"]
    bad = []
    digits = re.compile(r"\d+(?: \d{3})*(?:\.\d+)?")
    for a, b in zip(old, new):
        x = [float(v.replace(" ", "")) for v in digits.findall(a)]
        y = [float(v.replace(" ", "")) for v in digits.findall(b)]
        near = len(x) == len(y) and all(abs(p - q) <= TOLERANCE * max(p, q) for p, q in zip(x, y))
        if not near or digits.sub("", a) != digits.sub("", b):
            bad += [f"- {a}", f"+ {b}"]
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true", help="write the tables into docs/embedded.md")
    action.add_argument("--check", action="store_true", help="compare them with it")
    action.add_argument("--functions", metavar="IMAGE", help="list its bytes by function")
    wanted = parser.parse_args()
    if wanted.functions:
        for name, size in sorted(functions(wanted.functions).items(), key=lambda item: -item[1]):
            print(f"{size:7} {name}")
        return 0
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    if wanted.check and not_compared():
        print(not_compared())
        return 0
    results = measure()
    keep("report.json", compiler(), named(results))
    new = "\n" + page(results) + "\n"
    if wanted.write:
        PAGE.write_text(before + BEGIN + new + END + after)
        return 0
    bad = differences(old, new)
    if bad:
        print("docs/embedded.md (-) is not what is measured (+); if it is meant: bench/embedded/report.py --write")
        print("\n".join(bad))
        return 1
    print("docs/embedded.md tells what is measured")
    return 0


if __name__ == "__main__":
    sys.exit(main())
