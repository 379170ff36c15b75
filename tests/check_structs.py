#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every struct of the public headers can grow, or is said not to:

    check_structs.py [SOURCE_DIR]

It begins with its size, or with the head of a system, a relation or a law, or stands in one of the
tables of docs/VERSIONING.md. Each that begins with its size has the initialiser that the convention
there asks for, whatever is inline exists as a function too or makes one struct, and each macro for a
static array has its margin. Then breaks all of this on purpose, and sees each break found."""
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)
HEADS = ("perp_system", "perp_relation", "perp_law")
MARK = re.compile(r"<!-- structs: (\w[\w ]*) -->\n(.*?)\n<!-- -->", re.S)


def structs_of(headers):
    """The name of each struct that is defined, and its fields as text."""
    found = {}
    for text in headers.values():
        text = COMMENT.sub("", text)
        for m in re.finditer(r"\bstruct (perp_\w+)\s*\{", text):
            depth, end = 1, m.end()
            while depth:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            found[m.group(1)] = [" ".join(f.split()) for f in text[m.end():end - 1].split(";") if f.strip()]
    return found


def is_sized(fields):
    return fields[0] == "uint32_t struct_size"


def has_head(name, structs):
    """Whether a struct begins with a head, which holds the size of the whole."""
    while name not in HEADS:
        first = structs[name][0].split()
        if len(first) != 2 or first[0] not in structs:
            return False
        name = first[0]
    return True


def tables_of(page):
    """Names in the tables of the page, by what they are a table of."""
    return {kind: set(re.findall(r"`(perp_\w+)`", text)) for kind, text in MARK.findall(page)}


def wrong_structs(structs, tables):
    listed = set().union(*tables.values())
    for name, fields in structs.items():
        grows = is_sized(fields) or (has_head(name, structs) and name not in HEADS)
        told = [kind for kind, names in tables.items() if name in names]
        if grows and "frozen" in told:
            yield f"{name} has its size and is said to be frozen"
        elif not grows and told not in (["frozen"], ["shown"]):
            yield f"{name} neither begins with its size nor is said to be frozen or shown"
    for name in sorted(listed - set(structs)):
        yield f"{name} is said to be {[k for k in tables if name in tables[k]][0]}, and is no struct"


def wrong_initialisers(structs, tables, all_text):
    for name, fields in structs.items():
        if not is_sized(fields):
            continue
        macro = re.search(rf"#define {name.upper()}_INIT\b", all_text)
        function = re.search(rf"\bvoid {name}_init\({name} \*opts, size_t size\)", all_text)
        value = re.search(rf"static inline {name} {name}_default\(void\)", all_text)
        if name in tables["tables"] | tables["shown"]:
            right = not macro and not function
        elif name.endswith("_options"):
            right = function and value and not macro
        else:
            right = macro and not function
        if not right:
            yield f"{name} is not initialised as others like it"


def wrong_inlines(structs, all_text):
    for result, name in re.findall(r"static inline (\w+) \*?(\w+)\(", all_text):
        twin = name.endswith("_default") and f"{result}_init(" in all_text
        if result not in structs or not (twin or name in INLINE):
            yield f"{name} is inline, and no function does the same"


def wrong_macros(headers):
    sized = r"PERP_\w+_(?:WORKSPACE|BYTES)\("
    text = COMMENT.sub("", "\n".join(headers.values())).replace("\\\n", " ")
    for name, body in re.findall(rf"^#define ({sized})[^)]*\)(.*)$", text, re.M):
        if not re.search(rf"PERP_MARGIN\(|{sized}", body) and name != EXACT:
            yield f"{name}...) has no margin"


EXACT = "PERP_SIMULATION_STATE_BYTES("

# They make one struct of their arguments, and a language that cannot inline fills it.
INLINE = ("perp_dense", "perp_diagonal", "perp_compressed_rows", "perp_sparse_rows", "perp_block_rows",
          "perp_problem_of")


def wrong(headers, page):
    structs, tables = structs_of(headers), tables_of(page)
    all_text = " ".join(COMMENT.sub("", "\n".join(headers.values())).split(" "))
    all_text = re.sub(r"\s+", " ", all_text)
    if set(tables) != {"frozen", "shown", "tables"}:
        return [f"the page has the tables {sorted(tables)}"]
    return [*wrong_structs(structs, tables), *wrong_initialisers(structs, tables, all_text),
            *wrong_inlines(structs, all_text), *wrong_macros(headers)]


# (what, header or None for the page, from, to)
FAULTS = [
    ("a struct without its size", "pool.h", "typedef struct perp_pool_writer",
     "struct perp_fresh { int32_t n; };\ntypedef struct perp_pool_writer"),
    ("a size that went", "base.h", "  uint32_t struct_size;     /**< sizeof(perp_info) of the caller */\n", ""),
    ("a size that is not first", "simulation.h",
     "  uint32_t struct_size;      /**< set by the caller: PERP_REPORT_INIT                         */\n"
     "  int32_t max_active;        /**< most unknowns in one step                                   */\n",
     "  int32_t max_active;\n  uint32_t struct_size;\n"),
    ("a name that is missing", None, "`perp_matrix`", "the matrix"),
    ("a name of nothing", None, "`perp_matrix`", "`perp_matrix`, `perp_matrices`"),
    ("a struct with its size among the frozen", None, "`perp_matrix`", "`perp_matrix`, `perp_info`"),
    ("an initialiser that went", "base.h", "#define PERP_INFO_INIT", "#define PERP_INFO_START"),
    ("options without their defaults by value", "auto.h", "perp_auto_options_default(void)", "perp_auto_given(void)"),
    ("a function that is inline alone", "base.h", "PERP_API int32_t perp_version(void);",
     "static inline int32_t perp_version(void) { return PERP_VERSION; }"),
    ("a macro without its margin", "qp.h", "PERP_MARGIN(", "("),
]


def main():
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    headers = {h.name: h.read_text() for h in sorted((source / "include" / "perp").glob("*.h"))
               if h.name != "experimental.h"}
    page = (source / "docs" / "VERSIONING.md").read_text()
    found = wrong(headers, page)
    for line in found:
        print(line)
    missed = 0
    for what, header, before, after in FAULTS:
        text = page if header is None else headers[header]
        if before not in text:
            print(f"no place for: {what}")
            missed += 1
            continue
        broken = text.replace(before, after, 1)
        answer = wrong(headers, broken) if header is None else wrong({**headers, header: broken}, page)
        missed += not answer
        print(f"{what}: {answer[0] if answer else 'NOT FOUND'}")
    return 1 if found or missed else 0


if __name__ == "__main__":
    sys.exit(main())
