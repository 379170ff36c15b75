#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Worst and usual cost of a small LCP on Cortex-M7, for docs/memory.md: scripts/bench realtime.

realtime.py [--write | --check]
    runs the images of target realtime (build/embedded/cortex-m7) and prints the table; --write puts
    it into the page, --check compares it with the page as report.py does. Fails where a problem is
    not solved, and says where the worst count is above three medians. What was measured is left in
    build/embedded/realtime.json, where scripts/figures finds it."""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import report  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "memory.md"
BEGIN, END = "<!-- measured: scripts/bench realtime --write -->\n", "<!-- end of what is measured -->\n"
FAMILIES = ("spd", "delassus", "tilted", "redundant", "diodes", "integers")
SIZES, MOST = (4, 8, 12, 16), 3


def run(n):
    """{name: value} of the image for n unknowns."""
    image = ROOT / "build" / "embedded" / "cortex-m7" / "bin" / f"realtime_{n}"
    command = pathlib.Path(f"{image}.run").read_text().split(";")
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    found = {name: int(value) for name, value in re.findall(r"^# lcp-lemke (.+) (\d+)$", done.stdout, re.M)}
    if "worst" not in found:
        raise SystemExit(f"{image} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return found


def table(results):
    number = "{:,}".format
    rows = ["| n | problems | solved to 1e-9 | median | worst | ratio | most pivots | " +
            " | ".join(f"worst of {name}" for name in FAMILIES) + " |", "|--:" * (7 + len(FAMILIES)) + "|"]
    for n, r in results.items():
        cells = [n, r["problems"], r["problems"] - r["unsolved"], r["median"], r["worst"],
                 f"{r['worst'] / r['median']:.2f}", r["iterations"], *(r[f"worst {name}"] for name in FAMILIES)]
        rows.append("| " + " | ".join(c if isinstance(c, str) else number(c).replace(",", " ") for c in cells) + " |")
    return "\n".join(rows) + "\n"


def main():
    if "--check" in sys.argv[1:] and report.not_compared():
        print(report.not_compared())
        return
    with concurrent.futures.ThreadPoolExecutor(2) as pool:  # the longest first
        results = dict(zip(SIZES, [*pool.map(run, SIZES[::-1])][::-1]))
    report.keep("realtime.json", report.compiler(),
                {f"realtime.{n}.{name.replace(' ', '_')}": value for n, r in results.items() for name, value in r.items()})
    text = table(results)
    before, rest = PAGE.read_text().split(BEGIN)
    old, after = rest.split(END)
    if "--check" in sys.argv[1:]:
        bad = report.differences(old.strip(), text.strip())
        if bad:
            raise SystemExit("\n".join(["docs/memory.md (-) is not what is measured (+); if it is meant: "
                                        "scripts/bench realtime --write", *bad]))
        print("docs/memory.md tells what is measured")
    else:
        print(text, end="")
    if "--write" in sys.argv[1:]:
        PAGE.write_text(before + BEGIN + "\n" + text + "\n" + END + after)
    for n, r in results.items():
        if r["worst"] > MOST * r["median"]:
            print(f"n = {n}: the worst count is above {MOST} medians", file=sys.stderr)
    unsolved = [n for n, r in results.items() if r["unsolved"] > 0]
    if unsolved:
        raise SystemExit(f"not all solved: n = {unsolved}")


if __name__ == "__main__":
    main()
