#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write what JavaScript sees of include/perp: perp/c.mjs, layouts of structs as wasm32 has them,
constants, signatures of callbacks; perp/c.d.ts, the same for TypeScript, with the words of the
headers; exports.txt, the functions of the module.

    bindings/wasm/generate.py            writes them (needs python3-pycparser and a C compiler)
    bindings/wasm/generate.py --check    compares; exit code 1 where it differs
    bindings/wasm/generate.py --asserts  C that does not compile where a layout is another
"""
import argparse
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import headers  # noqa: E402

# What needs LAPACK, SuiteSparse, SUNDIALS, threads or files (perp/log.h) is not in the module.
ABSENT = {"perp_backend_lapack", "perp_sparse_klu", "perp_sparse_ldl", "perp_smooth_adams", "perp_smooth_bdf",
          "perp_smooth_arkode", "perp_smooth_ida", "perp_threads_create", "perp_threads_for", "perp_threads_destroy"}
CODES = {"int32_t": "i32", "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64", "size_t": "u32", "uint16_t": "u16",
         "uint8_t": "u8", "int": "i32", "char": "u8"}
BYTES = {"i32": 4, "u32": 4, "i64": 8, "u64": 8, "u16": 2, "u8": 1, "f64": 8, "at": 4, "text": 4}

# Records: what C answers with, under the names that JavaScript has for them.
RECORDS = {"Iterate": "perp_iterate", "Verdict": "perp_law_verdict", "Report": "perp_report",
           "EventReport": "perp_event_report", "Contact": "perp_contact_view"}
# Options that are told by keywords: those of runs, and of solvers.
OPTIONS = {"SimulationNumbers": "perp_simulation_options", "EventNumbers": "perp_event_options",
           "ImpactNumbers": "perp_multiple_impact_options"}
SKIPPED = {"struct_size", "reserved", "rows", "kind", "user", "n_guards", "n_schedules"}
HEAD = "// SPDX-License-Identifier: MIT\n// Written by generate.py from include/perp: do not edit.\n"


class Layout:
    """Sizes and offsets by the rules of wasm32: pointers have 4 bytes, everything is aligned to its size."""

    def __init__(self, api):
        self.api, self.known = api, {}

    def of(self, t):
        """(code, count, bytes, alignment); count 0: no array."""
        if t.kind == "array":
            code, _, size, align = self.of(t.to)
            return code, t.length, size * t.length, align
        if t.kind == "struct":
            _, size, align = self.struct(t.name)
            return t.name, 0, size, align
        code = self.code(t)
        size = BYTES.get(code, 4)
        return code, 0, size, size

    def code(self, t):
        if t.kind == "double":
            return "f64"
        if t.kind == "integer":
            return CODES[t.name]
        if t.kind == "callback":
            return "(" + self.signature(self.api.callbacks[t.name])
        if t.is_pointer_to("function"):
            return "(" + self.signature(t.to.to)
        text = t.is_pointer_to("integer") and t.to.name == "char" and t.to.const
        return "text" if text else "at"

    def struct(self, name):
        if name not in self.known:
            at, most, fields = 0, 1, {}
            for f in self.api.structs[name].fields:
                code, count, size, align = self.of(f.type)
                at += -at % align
                fields[f.name] = [at, code, count] if count else [at, code]
                at, most = at + size, max(most, align)
            self.known[name] = fields, at + -at % most, most
        return self.known[name]

    def signature(self, function):
        """Letters of WebAssembly's types, the result first: i, j (64 bits), d, v."""
        return self.letter(function.result) + "".join(self.letter(p.type) for p in function.parameters)

    def letter(self, t):
        if t.kind == "struct":
            raise ValueError(f"a struct by value: {t.name}")
        return {"void": "v", "double": "d"}.get(t.kind) or ("j" if t.kind == "integer" and "64" in t.name else "i")


def exported(api):
    return [name for name in api.functions if name not in ABSENT and not name.startswith("perp_log_")]


def module(api, layout):
    named = [s.name for s in api.structs.values() if s.fields is not None and s.header != "log.h"]
    lines = [HEAD, "/** Constants without their PERP_. */", "export const constants = {"]
    lines += [f"  {name.removeprefix('PERP_')}: {value}," for name, value in api.constants.items()]
    lines += ["};\n", "/** Of each struct its bytes, and of each field where it is, what, and how many if it is an array: a",
              " * number, at: an address, text, a struct, or a function by its signature behind a parenthesis. */",
              "export const structs = {"]
    for name in named:
        fields, size, _ = layout.struct(name)
        lines.append(f"  {name}: {{ bytes: {size}, fields: {json.dumps(fields)} }},")
    lines += ["};\n", "/** What the macros PERP_..._INIT set beside struct_size. */", "export const defaults = {"]
    for name, values in api.defaults.items():
        rest = {k: v for k, v in values.items() if k != "struct_size" and v}
        if rest:
            lines.append(f"  {name}: {json.dumps(rest)},")
    lines += ["};\n", "/** Signatures of functions that are handed over by themselves. */", "export const callbacks = {"]
    lines += [f'  {name}: "{layout.signature(c)}",' for name, c in api.callbacks.items()]
    return "\n".join(lines + ["};", ""])


def words(comment):
    """A comment of Doxygen as one of TypeScript."""
    text = re.sub(r"\s*Since \d+(?:\.\d+)+\.?|@copydoc \w+", "", comment.replace("*/", "* /"))
    return re.sub(r"@param(?:\[[a-z,]+\])? ", "@param ", text).strip()


def doc(comment, indent=""):
    lines = words(comment).splitlines()
    if not lines:
        return []
    if len(lines) == 1:
        return [f"{indent}/** {lines[0].strip()} */"]
    return [f"{indent}/**"] + [f"{indent} * {line}".rstrip() for line in lines] + [f"{indent} */"]


def kind_of(t):
    """Of a record: two halves of a count are one number, other integers of an array a tuple."""
    if t.kind == "array":
        return "number" if t.to.kind == "integer" and t.to.name == "uint32_t" else "Float64Array" \
            if t.to.kind == "double" else f"[{', '.join(['number'] * t.length)}]"
    if t.is_pointer_to("integer"):
        return "string"
    return "number" if t.kind in ("integer", "double") else "Float64Array"


def declarations(api):
    out = [HEAD]
    for name, struct in RECORDS.items():
        out += doc(api.structs[struct].comment) + [f"export interface {name} {{"]
        for f in api.structs[struct].fields:
            if f.name not in SKIPPED:
                out += doc(f.comment, "  ") + [f"  readonly {f.name}: {kind_of(f.type)};"]
        out.append("}\n")
    common = {f.name for f in api.structs["perp_solver_options"].fields}
    solver_options = [s.name for s in api.structs.values()
                      if s.name.endswith("_options") and any(f.name == "kind" for f in s.fields or [])]
    for name, struct in {**OPTIONS, "SolverNumbers": "perp_solver_options",
                         **{interface_of(s): s for s in solver_options}}.items():
        more = " extends SolverNumbers" if struct in solver_options else ""
        out += doc(api.structs[struct].comment) + [f"export interface {name}{more} {{"]
        for f in api.structs[struct].fields:
            if f.name not in SKIPPED | (common if struct in solver_options else set()) and f.type.kind in ("integer", "double"):
                out += doc(f.comment, "  ") + [f"  {f.name}?: number;"]
        out.append("}\n")
    out.append("/** Options of all solvers. */\nexport type AnySolverNumbers = " +
               " & ".join(interface_of(s) for s in solver_options) + ";\n")
    out.append("/** The functions of C as the module has them; addresses are numbers. */\nexport interface Functions {")
    for name in exported(api):
        f = api.functions[name]
        taken = ", ".join(f"{safe(p.name)}: {number_of(p.type)}" for p in f.parameters)
        out += doc(f.comment, "  ") + [f"  {name}({taken}): {number_of(f.result)};"]
    return "\n".join(out + ["}", ""])


def interface_of(struct):
    return "".join(part.capitalize() for part in struct.removeprefix("perp_").removesuffix("_options").split("_")) + "Numbers"


def safe(name):
    return f"{name}_" if name in ("in", "function", "default", "new", "with") else name


def number_of(t):
    return "void" if t.kind == "void" else "bigint" if t.kind == "integer" and "64" in t.name else "number"


def asserts(api, layout):
    lines = ['#include <stddef.h>\n#include "perp/perp.h"', "#define SAME(a, b) _Static_assert((a) == (b), #a)"]
    for s in api.structs.values():
        if s.fields is None:
            continue
        fields, size, _ = layout.struct(s.name)
        lines.append(f"SAME(sizeof({s.name}), {size});")
        lines += [f"SAME(offsetof({s.name}, {name}), {at[0]});" for name, at in fields.items()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Write the JavaScript layer from the public headers.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--asserts", action="store_true", help="write C that checks layouts to the output")
    given = parser.parse_args()
    api = headers.read(ROOT / "include")
    layout = Layout(api)
    if given.asserts:
        sys.stdout.write(asserts(api, layout))
        return
    for name, text in (("perp/c.mjs", module(api, layout)), ("perp/c.d.ts", declarations(api)),
                       ("exports.txt", "\n".join(["# SPDX-License-Identifier: MIT", "malloc", "free"] + exported(api)) + "\n")):
        path = HERE / name
        if not given.check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"bindings/wasm/{name} is not what generate.py writes: run it again")


if __name__ == "__main__":
    main()
