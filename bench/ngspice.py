#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rectifier with a smoothing capacitor, by perp and by ngspice, side by side.

  bench/ngspice.py [--programs DIR] [--markdown]

perp has ideal diodes, ngspice exponential ones, i = 1e-14 A (exp(v/(n Vt)) - 1), with the emission
coefficient n from 1 (silicon) down to 0.01, where they are stiff and nearly ideal. All waveforms of 0.2 s
are compared every 0.1 ms with perp at h = 0.1 µs. perp takes the voltages and currents of the diodes at
the end of a step (implicit) or in its middle (theta = gamma = 1/2). To be compared with their difference: the drop of the two
diodes on the way of the current, 2 n Vt ln(I/1e-14 A) at I = 1 A.

ngspice gets two resistors that perp does without: 1 kohm beside the leakage inductor, as its current
is cut within a step, and 1 Mohm from each end of the winding to ground, as nothing holds them while
no diode conducts; without these it gives up with a time step too small. Its time is what it reports
for the analysis; perp's is that of the loop over the steps. One core.
"""
import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

VT = 0.0258649  # V, at 27 degrees
DECK = """rectifier
V1 s b SIN(0 17 50)
R1 s t 0.5
L1 t a 5e-4 IC=0
R3 t a 1k
D1 a p dio
D2 b p dio
D3 0 a dio
D4 0 b dio
R4 a 0 1Meg
R5 b 0 1Meg
C1 p 0 1e-3 IC=0
R2 p 0 100
.model dio D(IS=1e-14 N={n})
.control
tran {step} 0.2 0 {step} uic
set wr_singlescale
set numdgt=12
wrdata {out} v(p) i(L1)
rusage all
quit
.endc
.end
"""


def read(path):
    with open(path, encoding="ascii") as file:
        return [tuple(float(x) for x in line.split()) for line in file]


def sampled(rows, times):
    """v and i at the times, linear between the rows."""
    out, k = [], 0
    for t in times:
        while k + 2 < len(rows) and rows[k + 1][0] < t:
            k += 1
        (t0, *a), (t1, *b) = rows[k], rows[k + 1]
        s = (t - t0) / (t1 - t0)
        out.append([x + s * (y - x) for x, y in zip(a, b)])
    return out


def ngspice(folder, n, step):
    deck, out = os.path.join(folder, "deck.cir"), os.path.join(folder, "out.txt")
    with open(deck, "w", encoding="ascii") as file:
        file.write(DECK.format(n=n, step=step, out=out))
    best = None
    for _ in range(5):
        done = subprocess.run(["ngspice", "-b", deck], stdout=subprocess.PIPE, cwd=folder,
                              stderr=subprocess.STDOUT, universal_newlines=True, check=False)
        if "too small" in done.stdout:
            return None
        told = {key: float(re.search(key + r" = ([0-9.e+-]+)", done.stdout).group(1))
                for key in ("Accepted timepoints", "Transient iterations", "Transient analysis time")}
        if best is None or told["Transient analysis time"] < best["Transient analysis time"]:
            best = told
    return best, read(out)


def deviation(rows, reference):
    last = min(len(rows), len(reference))
    return [max(abs(rows[k][j] - reference[k][j]) for k in range(last)) for j in (0, 1)]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--programs", default=os.path.join(here, "..", "build", "release", "bin"))
    p.add_argument("--markdown", action="store_true")
    args = p.parse_args()
    if shutil.which("ngspice") is None:
        print("bench/ngspice.py: ngspice is not installed, so nothing is compared")
        return
    program = os.path.join(args.programs, "rectifier_bench")
    if not os.access(program, os.X_OK):
        sys.exit(f"bench/ngspice.py: {program} is missing; build target rectifier_bench first")
    head = ("solver", "diodes", "steps", "iterations", "time", "a step", "largest difference, V",
            "A", "drop of two diodes, V")
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "perp.txt")

        def perp(scheme, h):
            done = subprocess.run([program, scheme, str(h), out], stdout=subprocess.PIPE, check=True)
            return json.loads(done.stdout), read(out)

        _, fine = perp("middle", 1e-7)
        times, reference = [row[0] for row in fine], [row[1:] for row in fine]
        for scheme, h in ((s, h) for s in ("implicit", "middle") for h in (1e-4, 1e-5, 1e-6)):
            told, rows = perp(scheme, h)
            v, i = deviation([row[1:] for row in rows], reference)
            lines.append((f"perp, {scheme}, h = {1e6 * h:g} µs", "ideal", str(told["steps"]), "-",
                          f"{1e3 * told['seconds']:.2f} ms",
                          f"{1e6 * told['seconds'] / told['steps']:.2f} µs", f"{v:.1e}", f"{i:.1e}",
                          "0"))
        for step in ("1e-4", "1e-5"):
            for n in (1, 0.1, 0.01):
                found = ngspice(folder, n, step)
                name = (f"ngspice, steps <= {1e6 * float(step):g} µs", f"n = {n}")
                drop = f"{2 * n * VT * math.log(1e14):.3f}"
                if found is None:
                    lines.append((*name, *["gives up"] + 5 * ["-"], drop))
                    continue
                told, rows = found
                v, i = deviation(sampled(rows, times), reference)
                seconds = told["Transient analysis time"]
                lines.append((*name, f"{told['Accepted timepoints']:.0f}",
                              f"{told['Transient iterations']:.0f}", f"{1e3 * seconds:.0f} ms",
                              f"{1e6 * seconds / told['Accepted timepoints']:.1f} µs", f"{v:.1e}",
                              f"{i:.1e}", drop))
    if args.markdown:
        lines = [head, ["---"] + (len(head) - 1) * ["--:"], *lines]
        print("\n".join("| " + " | ".join(line) + " |" for line in lines))
        return
    widths = [max(len(line[k]) for line in [head, *lines]) for k in range(len(head))]
    for line in [head, *lines]:
        print("  ".join(cell.rjust(w) if k else cell.ljust(w)
                        for k, (cell, w) in enumerate(zip(line, widths))))


if __name__ == "__main__":
    main()
