#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/generated/single.md: the core with float for double on Cortex-M4F, against the core as it is.

Builds build/embedded/cortex-m4-single, with single.h before every source; build/embedded/cortex-m4 is of
scripts/test-embedded. The tolerance of the corpus is 1e-4 there, and 1e-9 in double precision. Minutes."""
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
import report  # noqa: E402

BUILD = report.ROOT / "build" / "embedded"
SINGLE = BUILD / "cortex-m4-single"
SOLVERS = ("lemke", "box_pivoting", "contact_3d", "nsgs_small")
PROGRAMS = ("bouncing_ball", "foot_contact", "sliding_mode")


def build():
    header = report.ROOT / "bench" / "embedded" / "single.h"
    commands = [["cmake", "-S", report.ROOT, "-B", SINGLE, "-G", "Ninja", "-DPERP_FULL=OFF", "-DPERP_ARM_CPU=cortex-m4",
                 "--toolchain", report.ROOT / "cmake" / "toolchains" / "arm-none-eabi.cmake",
                 f"-DCMAKE_C_FLAGS_MINSIZEREL=-Os -DNDEBUG -w -fsingle-precision-constant -include {header}"],
                ["cmake", "--build", SINGLE, "--target", *(f"measure_{name}" for name in SOLVERS),
                 *(f"embedded_{name}" for name in PROGRAMS)]]
    for command in commands:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stdout)


def succeeds(program):
    command = pathlib.Path(f"{SINGLE}/bin/embedded_{program}.run").read_text().split(";")
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600).returncode == 0


def main():
    build()
    rows = []
    for name in SOLVERS:
        images = [BUILD / folder / "bin" / f"measure_{name}" for folder in ("cortex-m4", "cortex-m4-single")]
        for double, single in zip(*map(report.run, images)):
            rows.append([report.title(name), str(double["n"]), *(report.number(row["solved"]) for row in (double, single)),
                         *(report.number(row["median"]) for row in (double, single)), *(report.number(report.flash(i)) for i in images)])
    ended = sum(map(succeeds, PROGRAMS))
    text = "\n".join([
        "<!-- Written by bench/embedded/single.py: do not edit. -->", "# Single precision: no", "",
        "The core compiled with `float` for `double`, nothing else changed, on Cortex-M4F, whose unit does `float` only. Of 200 random "
        "problems, those that end with `PERP_OK` and are solved to 1e-4, friction to 1e-2; in double precision to 1e-9 and 1e-7. Flash without the compiler's "
        f"arithmetic. {report.compiler()}.", "",
        report.table(["solver", "n", "solved, double", "single", "instructions, double", "single", "flash, double", "single"], rows),
        f"{ended} of the {len(PROGRAMS)} programs of `examples/embedded` succeed. What fails is not the arithmetic but what is promised: default "
        "tolerances of 1e-10 and the constants of refinement, ranks and verdicts are made for 53 bits, and the verification "
        "refuses what it cannot hold. A library in single precision would be another one, with tolerances, tests and bits of its own. "
        "See [firmware](../embedded.md).", ""])
    (report.ROOT / "docs" / "generated" / "single.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
