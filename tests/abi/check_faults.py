#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Break the interface on purpose: every break has to be found, every growth allowed.

    check_faults.py        headers by compare_headers.py, the library's description by abidiff
"""
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import compare_headers  # noqa: E402
from compare_headers import headers  # noqa: E402

# (what, file, from, to, whether it is allowed)
HEADERS = [
    ("a function removed", "pivoting.h", "PERP_API size_t perp_lcp_lemke_workspace(int32_t n);", "", False),
    ("an argument added", "base.h", "perp_version(void)", "perp_version(int32_t which)", False),
    ("a field swapped", "pivoting.h", "  int32_t max_iter;", "  uint32_t fresh; int32_t max_iter;", False),
    ("two fields swapped", "lcp.h", "  int32_t n;       /**< unknowns, n >= 0                    */\n"
     "  int32_t ld;      /**< column stride of M in doubles, >= n */\n",
     "  int32_t ld;\n  int32_t n;\n", False),
    ("a field's type changed", "law.h", "  double e;     /**<", "  int32_t e;     /**<", False),
    ("a field added to a struct without struct_size", "lcp.h", "  const double *q; /**< n                                   */\n"
     "} perp_lcp;", "  const double *q;\n  const double *extra;\n} perp_lcp;", False),
    ("a constant changed", "base.h", "PERP_STOPPED = 5,", "PERP_STOPPED = 15,", False),
    ("a constant removed", "base.h", "  PERP_WARN_INDEFINITE = 1 ", "  PERP_WARN_OTHER = 1 ", False),
    ("a default of an initialiser changed", "base.h", "(uint32_t)sizeof(perp_info), 0, NULL, -1,",
     "(uint32_t)sizeof(perp_info), 0, NULL, 0,", False),
    ("a field at the end of an options struct", "pivoting.h", "} perp_lemke_options;",
     "  double fresh;\n} perp_lemke_options;", True),
    ("a field at the end of a struct that is shown", "base.h", "} perp_iterate;",
     "  double fresh;\n} perp_iterate;", True),
    ("a name for a reserved field", "vi.h", "  int32_t reserved;          /**< 0",
     "  int32_t fresh;          /**< 0", True),
    ("a function added", "base.h", "PERP_API int32_t perp_version(void);",
     "PERP_API int32_t perp_version(void);\nPERP_API int32_t perp_fresh(void);", True),
]


def check_headers(old_include, scratch):
    missed = 0
    old = headers.read(old_include)
    for what, file, before, after, allowed in HEADERS:
        new = pathlib.Path(scratch, "new", "perp")
        new.mkdir(parents=True, exist_ok=True)
        if before not in (old_include / "perp" / file).read_text():
            print(f"no place for: {what}")
            return 1
        for h in (old_include / "perp").glob("*.h"):
            text = h.read_text()
            if h.name == file:
                text = text.replace(before, after, 1)
            (new / h.name).write_text(text)
        wrong, grown = compare_headers.compare(old, headers.read(new.parent))
        right = (not wrong) == allowed
        missed += not right
        print(f"{'' if right else 'NOT AS IT SHOULD BE: '}{what}: {wrong[0] if wrong else 'allowed'}")
    return missed


def drop_function(text, name):
    return "".join(line for line in text.splitlines(True)
                   if f"elf-symbol name='{name}'" not in line)


def check_library(abi, scratch):
    """abidiff finds what is not in the library any more, and a layout that is another."""
    missed = 0
    text = abi.read_text()
    # two doubles of perp_friction change places: mu and e_n
    start = text.index("<class-decl name='perp_friction'")
    end = text.index("</class-decl>", start)
    swapped = text[:start] + text[start:end].replace("name='mu'", "name='x'").replace(
        "name='e_n'", "name='mu'").replace("name='x'", "name='e_n'") + text[end:]
    for what, changed in (("a symbol removed", drop_function(text, "perp_version")),
                          ("fields swapped in the library", swapped)):
        file = pathlib.Path(scratch, "changed.abi")
        file.write_text(changed)
        answer = subprocess.run(["abidiff", "--no-added-syms", str(abi), str(file)],
                                capture_output=True, text=True)
        found = changed != text and answer.returncode != 0
        missed += not found
        first = answer.stdout.splitlines()[:1]
        print(f"{'' if found else 'NOT FOUND: '}{what}: abidiff ends with {answer.returncode}; {first}")
    return missed


def main():
    archive = sorted(HERE.glob("perp-*.tar.xz"))[-1]
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(archive) as tar:
            tar.extractall(scratch)
        missed = check_headers(pathlib.Path(scratch, "include"), scratch)
        missed += check_library(pathlib.Path(scratch, "perp.abi"), scratch)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
