#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what the .jl files say of C with the headers, without Julia.

    check.py

The truth comes from castxml (the clang compiler's view of perp.h) and, for constants, from a C program;
nothing is shared with generate.py. Read from the .jl files: structs with their fields, laid out as Julia
lays out isbits types; every @ccall with its name, arguments, types and result; every constant; the
arguments of every @cfunction, and of the table of their forms, against the typedefs of callbacks; how many
arguments functions take that are handed on as values; names that are exported. Then copies with a fault each are
read, and the faults have to be found. Blocks have to end where they should, by a small reader of
Julia's words.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"

SIZES = {"Int32": 4, "UInt32": 4, "Int64": 8, "UInt64": 8, "Csize_t": 8, "Cdouble": 8, "UInt16": 2,
         "UInt8": 1, "Cint": 4}
C_NAMES = {"int32_t": "Int32", "uint32_t": "UInt32", "int64_t": "Int64", "size_t": "Csize_t",
           "double": "Cdouble", "int": "Int32", "unsigned int": "UInt32", "unsigned char": "UInt8",
           "short unsigned int": "UInt16", "char": "UInt8", "long int": "Int64", "unsigned long": "Csize_t",
           "long unsigned int": "Csize_t", "long": "Int64"}


class Truth:
    """What clang says of perp.h."""

    def __init__(self):
        with tempfile.TemporaryDirectory() as scratch:
            source, out = pathlib.Path(scratch, "all.c"), pathlib.Path(scratch, "all.xml")
            source.write_text('#include "perp/perp.h"\n')
            subprocess.run(["castxml", "--castxml-output=1", f"-I{INCLUDE}", "-std=c99", str(source),
                            "-o", str(out)], check=True)
            root = ET.parse(out).getroot()
        self.by_id = {e.get("id"): e for e in root}
        self.structs, self.functions, self.callbacks = {}, {}, {}
        for e in root:
            name = e.get("name") or ""
            if not name.startswith("perp_"):
                continue
            if e.tag == "Struct" and e.get("incomplete") != "1":
                fields = [self.by_id[m] for m in (e.get("members") or "").split()]
                self.structs[name] = (int(e.get("size")) // 8, [
                    (f.get("name"), int(f.get("offset")) // 8, self.julia(f.get("type")))
                    for f in fields if f.tag == "Field"])
            elif e.tag == "Function" and e.get("inline") != "1" and e.get("static") != "1":
                self.functions[name] = self.signature(e)
            elif e.tag == "Typedef":
                inner = self.stripped(e.get("type"))
                if inner.tag == "PointerType" and self.stripped(inner.get("type")).tag == "FunctionType":
                    self.callbacks[name] = self.signature(self.stripped(inner.get("type")))

    def signature(self, e):
        arguments = [(a.get("name"), self.julia(a.get("type"))) for a in e if a.tag == "Argument"]
        return self.julia(e.get("returns")), arguments

    def stripped(self, key):
        """The type without names of others, const and such."""
        e = self.by_id.get(key) or self.by_id[key.rstrip("crv")]
        while e.tag in ("Typedef", "CvQualifiedType", "ElaboratedType"):
            e = self.by_id.get(e.get("type")) or self.by_id[e.get("type").rstrip("crv")]
        return e

    def julia(self, key):
        """How Julia sees it: numbers by size and kind, pointers with what they lead to."""
        e = self.stripped(key)
        if e.tag == "FundamentalType":
            return "Cvoid" if e.get("name") == "void" else C_NAMES[e.get("name")]
        if e.tag == "Struct":
            return e.get("name")
        if e.tag == "ArrayType":
            return f"NTuple{{{int(e.get('max')) + 1}, {self.julia(e.get('type'))}}}"
        if e.tag == "PointerType":
            to = self.stripped(e.get("type"))
            if to.tag == "FunctionType":
                return "Ptr{Cvoid}"
            if to.tag == "Struct" and to.get("incomplete") == "1":
                return "Ptr{Cvoid}"
            inner = self.julia(e.get("type"))
            return "Ptr{Ptr{Cvoid}}" if inner.startswith("Ptr") else f"Ptr{{{inner}}}"
        raise ValueError(e.tag)


def alike(given, truth):
    """Whether a type of Julia fits: an address without a target fits every address."""
    given = re.sub(r"\s", "", given).replace("Cstring", "Ptr{UInt8}").replace("Ref{T}", "Ptr{Cvoid}")
    truth = re.sub(r"\s", "", truth)
    return given == truth or (given == "Ptr{Cvoid}" and truth.startswith("Ptr"))


def layout(structs, name):
    """(size, alignment, offsets) of a struct of the .jl file by the rules of isbits types."""
    at, alignment, offsets = 0, 1, []
    for _, t in structs[name]:
        size, align = measure(structs, t)
        at = (at + align - 1) // align * align
        offsets.append(at)
        at += size
        alignment = max(alignment, align)
    return (at + alignment - 1) // alignment * alignment, alignment, offsets


def measure(structs, t):
    m = re.fullmatch(r"NTuple\{(\d+),\s*(.*)\}", t)
    if m:
        size, align = measure(structs, m[2])
        return int(m[1]) * size, align
    if t.startswith("Ptr{"):
        return 8, 8
    if t in SIZES:
        return SIZES[t], SIZES[t]
    size, align, _ = layout(structs, t)
    return size, align


def split(text):
    """Cut at commas outside of braces, brackets and parentheses."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return [p for p in parts + [part.strip()] if p]


def differences(text, truth, constants):
    """What in the text of the .jl files is not as in C."""
    wrong = []
    structs = {m[1]: [tuple(f.strip().split("::")) for f in m[2].strip().splitlines()]
               for m in re.finditer(r"^struct (perp_\w+)\n(.*?)^end$", text, re.M | re.S)}
    wrong += [f"struct {n} is missing" for n in truth.structs if n not in structs]
    wrong += [f"struct {n} is not in C" for n in structs if n not in truth.structs]
    for name in structs.keys() & truth.structs.keys():
        size, fields = truth.structs[name]
        given_size, _, offsets = layout(structs, name)
        given = [(f.rstrip("_"), o, t) for (f, t), o in zip(structs[name], offsets)]
        if given_size != size or len(given) != len(fields):
            wrong.append(f"{name}: {given_size} bytes and {len(given)} fields, in C {size} and {len(fields)}")
        wrong += [f"{name}: {g} in Julia, {c} in C" for g, c in zip(given, fields)
                  if g[:2] != (c[0].rstrip("_"), c[1]) or not alike(g[2], c[2])]
    called = set()
    for m in re.finditer(r"@ccall\s+libperp\.(\w+)\(", text):
        depth, end = 1, m.end()
        while depth > 0:
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        result = re.match(r"::([\w{}]+)", text[end:])[1]
        given = [a.split("::") for a in split(text[m.end():end - 1])]
        called.add(m[1])
        if m[1] not in truth.functions:
            wrong.append(f"@ccall {m[1]} is not in C")
            continue
        c_result, c_arguments = truth.functions[m[1]]
        if not alike(result, c_result):
            wrong.append(f"{m[1]} returns {result} in Julia, {c_result} in C")
        if len(given) != len(c_arguments) or any(
                g[0].rstrip("_") != c[0].rstrip("_") or not alike(g[1], c[1])
                for g, c in zip(given, c_arguments)):
            wrong.append(f"{m[1]}: {given} in Julia, {c_arguments} in C")
    wrong += [f"{n} has no @ccall" for n in truth.functions if n not in called]
    for name, value in re.findall(r"^const (PERP_\w+) = Int32\((-?\d+)\)", text, re.M):
        if constants.get(name) != int(value):
            wrong.append(f"{name} is {value} in Julia, {constants.get(name)} in C")
    found = []
    forms = {(r, tuple(t for _, t in a)) for r, a in truth.callbacks.values()}
    for m in re.finditer(r"@cfunction\(\s*[\w$]+,\s*(\w+),\s*\(", text):
        end = text.index("))", m.end())
        given = (m[1], tuple(split(text[m.end():end])))
        if not given[1][0].startswith("$"):
            found.append(given)
    for m in re.finditer(r":\(\(((?:\w+::[\w{}]+(?:,\s*)?)+)\)\)", text):  # rows of FORMS
        found.append(("Int32", tuple(a.split("::")[1] for a in split(m[1]))))
    for given in found:
        if not any(len(given[1]) == len(a) and alike(given[0], r) and
                   all(alike(g, c) for g, c in zip(given[1], a)) for r, a in forms):
            wrong.append(f"no callback of C has the form {given}")
    return wrong


def miscalled(text, truth):
    """Calls of perp_... with another number of arguments than the function has, or the struct fields."""
    needed = {n: len(a) for n, (_, a) in truth.functions.items()}
    needed.update({n: len(fields) for n, (_, fields) in truth.structs.items()})
    text = re.sub(r"#.*", "", re.sub(r'"""(?:\\.|[^\\])*?"""', '""', text, flags=re.S))
    wrong = []
    for m in re.finditer(r"(?<![\w.])(perp_\w+)\(", text):
        before = text[:m.start()].rsplit("\n", 1)[-1]
        if m[1] not in needed or before.rstrip().endswith("function"):
            continue
        depth, end = 1, m.end()
        while depth > 0:
            depth += (text[end] in "([{") - (text[end] in ")]}")
            end += 1
        given = split(text[m.end():end - 1])
        if len(given) != needed[m[1]] and not any(g.endswith("...") for g in given):
            wrong.append(f"{m[1]} is called with {len(given)} arguments, it has {needed[m[1]]}")
    return wrong


def handed_on(text, truth):
    """Functions that are handed on as values and take another number of arguments than they are called
    with there: what initialises descriptions and options, and what runs are read by."""
    wrong = []

    def expect(name, count):
        have = len(truth.functions[name][1]) if name in truth.functions else -1
        if have != count:
            wrong.append(f"{name} is handed on to be called with {count} arguments, it has {have}")
    for m in re.finditer(r"(described!|law|options_of)\(((?:held, )?perp_\w+, perp_\w+_init)\b", text):
        depth, end = 1, m.end()
        while depth > 0 and not (depth == 1 and text[end] == ";"):
            depth += (text[end] in "([{") - (text[end] in ")]}")
            end += 1
        more = split(text[m.end():end].rstrip(")"))[1:] if m[1] == "described!" else []  # behind the call's name
        expect(m[2].split(", ")[-1], 2 + len(more))
    for m in re.finditer(r"(values|functions)_of\(::\w+\) = \(([^)]*)\)", text):
        for name, function in (pair.split("=") for pair in split(m[2])):
            expect(function, {"destroy": 1, "energy": 3}.get(name, 2))
            if m[1] == "values" and truth.functions.get(function, ("",))[0] != "Ptr{Cdouble}":
                wrong.append(f"{function} gives no numbers")
    return wrong


def values_of(names):
    """Constants as a C compiler sees them; those that C does not know are left out."""
    header = "".join(p.read_text() for p in sorted((INCLUDE / "perp").glob("*.h")))
    known = [n for n in names if re.search(rf"\b{n}\b", header)]
    lines = "".join(f'printf("{n} %lld\\n", (long long){n});\n' for n in known)
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch, "values.c")
        source.write_text('#include <stdio.h>\n#include "perp/perp.h"\nint main(void) {\n' + lines + "}\n")
        subprocess.run(["cc", "-std=c99", "-w", f"-I{INCLUDE}", source, "-o", f"{scratch}/values"], check=True)
        answers = subprocess.run([f"{scratch}/values"], check=True, capture_output=True, text=True).stdout
    return {line.split()[0]: int(line.split()[1]) for line in answers.splitlines()}


# Names that Base, its standard libraries and packages of modelling and drawing export.
OTHERS = {"Model", "System", "Simulation", "Problem", "Joint", "Body", "Box", "box", "add!", "connect", "connect!", "run!", "next!",
          "advance!", "report", "energy", "level", "friction", "mixed", "equality", "relay", "rolling", "checkpoint",
          "solved", "Solution", "close", "show", "view", "dot", "norm", "complementarity", "compliant"}


def misnamed(text):
    """Exports that collide, or are of nothing."""
    lists = re.findall(r"^export ((?:[^\n]*,\n)*[^\n]*)", text, re.M)
    exported = sorted({name.strip() for names in lists for name in names.split(",")})
    return [f"{n} is exported, and other packages have that name" for n in exported if n in OTHERS] + [
        f"{n} is exported, but nothing is called so" for n in exported
        if not re.search(rf"(^|[\s.]){re.escape(n)}\(|struct {n}\b", text, re.M)]


OPENERS = r"\b(?:abstract type|function|struct|module|if|for|while|let|begin|try|quote|do|macro)\b"


def unbalanced(text):
    """Where blocks, brackets or strings do not end; '' if they do."""
    text = re.sub(r'"""(?:\\.|[^\\])*?"""', '""', text, flags=re.S)
    text = re.sub(r'"(?:\\.|\$\([^"]*\)|[^"\\])*"', '""', text)
    text = re.sub(r"#.*", "", text)
    depth, brackets = 0, []
    for m in re.finditer(OPENERS + r"|\bend\b|[\[\](){}]", text):
        line = text.count("\n", 0, m.start()) + 1
        word = m[0]
        if word in "([{":
            brackets.append(word)
        elif word in ")]}":
            if not brackets or "([{".index(brackets.pop()) != ")]}".index(word):
                return f"line {line}: {word}"
        elif "[" in brackets[-1:]:
            continue  # begin and end of an index, for and if of a comprehension
        elif word == "end":
            depth -= 1
            if depth < 0:
                return f"line {line}: end"
        elif word in ("for", "if") and "(" in brackets[-1:]:
            continue  # of a generator
        elif text[max(0, m.start() - 1)] not in ":." or word == "begin":
            depth += 1
    return "" if depth == 0 and not brackets else f"{depth} blocks, {len(brackets)} brackets are open"


FAULTS = [  # (what, from, to)
    ("swapped fields", "    e_n::Cdouble\n    e_t::Cdouble", "    e_t::Cdouble\n    e_n::Cdouble"),
    ("a field of a wrong type", "    equalities::Int32", "    equalities::Int64"),
    ("a missing argument", "    return @ccall libperp.perp_simulation_q(sim::Ptr{Cvoid}, system::Int32)",
     "    return @ccall libperp.perp_simulation_q(sim::Ptr{Cvoid})"),
    ("a wrong argument", "perp_simulation_advance(\n        sim::Ptr{Cvoid},\n        h::Cdouble,",
     "perp_simulation_advance(\n        sim::Ptr{Cvoid},\n        h::Int32,"),
    ("a wrong result", "perp_simulation_time(sim::Ptr{Cvoid})::Cdouble",
     "perp_simulation_time(sim::Ptr{Cvoid})::Int32"),
    ("another constant", "PERP_STOPPED = Int32(5)", "PERP_STOPPED = Int32(6)"),
    ("a callback of another form", ":((t::Cdouble, out::Ptr{Cdouble}, user::Ptr{Cvoid}))",
     ":((out::Ptr{Cdouble}, t::Cdouble, user::Ptr{Cvoid}))"),
    ("a locator of another form", "Int32, (Cdouble, Ptr{Cdouble}, Ptr{perp_contact_place}, Ref{T}))",
     "Int32, (Cdouble, Ptr{perp_contact_place}, Ref{T}))"),
    ("a description of a size less", '"ContactRelation", gaps, at.law_size, n;', '"ContactRelation", gaps, n;'),
    ("options of another kind", "options_of(perp_vi_options, perp_vi_options_init",
     "options_of(perp_vi_options, perp_lagrangian_init"),
    ("a value that is none", "(q=perp_simulation_q,", "(q=perp_simulation_time,"),
    ("a struct without its last field", "perp_sphere_plane(radius, Tuple(normal), offset)",
     "perp_sphere_plane(radius, Tuple(normal))"),
    ("a call without its last argument", "perp_simulation_advance(c, h, info)", "perp_simulation_advance(c, h)"),
    ("an export of nothing", "export PerpError\n", "export PerpErrors\n"),
    ("a name that others have", "export PerpError\n", "export PerpError, Model\n"),
    ("a missing function", "function perp_version()\n    return @ccall libperp.perp_version()::Int32\nend\n", ""),
]


def main():
    files = sorted(HERE.glob("**/*.jl"))
    text = "\n".join(f.read_text() for f in files)
    truth = Truth()
    constants = values_of(sorted(set(re.findall(r"\bPERP_[A-Z0-9_]*[A-Z0-9]\b", text))))
    wrong = differences(text, truth, constants) + miscalled(text, truth) + handed_on(text, truth) + misnamed(text)
    unknown = sorted(set(re.findall(r"\bPERP_[A-Z0-9_]*[A-Z0-9]\b", text)) -
                     set(re.findall(r"^const (PERP_\w+)", text, re.M)) - {"PERP_LIBRARY"})
    wrong += [f"{n} is no constant of c.jl" for n in unknown]
    functions = set(re.findall(r"\b(perp_\w+)\(", text)) - truth.functions.keys() - truth.structs.keys()
    wrong += [f"{n} is neither a function nor a struct" for n in sorted(functions)]
    version = values_of(["PERP_VERSION_MAJOR", "PERP_VERSION_MINOR"])
    for soname in ("libperp.so.{PERP_VERSION_MAJOR}.{PERP_VERSION_MINOR}",
                   "libperp.{PERP_VERSION_MAJOR}.{PERP_VERSION_MINOR}.dylib"):
        soname = soname.format(**version)
        wrong += [] if f'"{soname}"' in text else [f"Perp.jl does not load {soname}"]
    wrong += [f"{f.name}: {unbalanced(f.read_text())}" for f in files if unbalanced(f.read_text())]
    print("\n".join(wrong) or f"{len(truth.structs)} structs, {len(truth.functions)} functions, "
          f"{len(files)} files agree")
    for what, before, after in FAULTS:
        if before not in text:
            print(f"no place for the fault: {what}")
            return 1
        faulty = text.replace(before, after, 1)
        again = differences(faulty, truth, constants) + miscalled(faulty, truth) + handed_on(faulty, truth) + misnamed(faulty)
        found = [d for d in again if d not in wrong]
        print(f"{what}: {found[0] if found else 'NOT FOUND'}")
        if not found:
            return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
