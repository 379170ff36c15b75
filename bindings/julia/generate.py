#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write src/c.jl, the C interface in Julia, from the headers.

    generate.py [--check] [FILE]     --check: only compare; exit code 1 if FILE would change

Structs are immutable isbits types with the names and fields of C; pointers to numbers keep what they
point to, all others are Ptr{Cvoid}. Functions are wrappers around @ccall with the names of C. A name
that Julia reserves gets "_" behind it.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import headers  # noqa: E402

INTEGER = {"int32_t": "Int32", "uint32_t": "UInt32", "int64_t": "Int64", "uint64_t": "UInt64",
           "size_t": "Csize_t", "uint16_t": "UInt16", "uint8_t": "UInt8", "int": "Cint", "char": "UInt8"}
RESERVED = {"baremodule", "begin", "break", "catch", "const", "continue", "do", "else", "elseif",
            "end", "export", "false", "finally", "for", "function", "global", "if", "import", "in",
            "isa", "let", "local", "macro", "module", "quote", "return", "struct", "true", "try",
            "type", "using", "where", "while"}


def name_of(name):
    return name + "_" if name in RESERVED else name


def field_type(t):
    if t.kind == "integer":
        return INTEGER[t.name]
    if t.kind == "double":
        return "Cdouble"
    if t.kind == "array":
        return f"NTuple{{{t.length}, {field_type(t.to)}}}"
    if t.kind == "struct":
        return t.name
    if t.kind == "pointer" and t.to.kind in ("integer", "double"):
        return f"Ptr{{{field_type(t.to)}}}"
    return "Ptr{Cvoid}"


def argument_type(t, api):
    if t.kind == "void":
        return "Cvoid"
    if t.kind == "pointer":
        to = t.to
        if to.kind == "integer" and to.name == "char" and to.const:
            return "Cstring"
        if to.kind == "struct" and api.structs[to.name].fields is not None:
            return f"Ptr{{{to.name}}}"
        if to.kind == "pointer" and not to.const:
            return "Ptr{Ptr{Cvoid}}"
    return field_type(t)


def text_of(api):
    lines = ["# SPDX-License-Identifier: MIT",
             "# Written by bindings/julia/generate.py from the headers in include/perp: change those.",
             ""]
    for name, value in api.constants.items():
        lines.append(f"const {name} = Int32({value})")
    for s in api.structs.values():
        if s.fields is None:
            continue
        lines += ["", f"# {s.header}", f"struct {s.name}"]
        lines += [f"    {name_of(f.name)}::{field_type(f.type)}" for f in s.fields]
        lines.append("end")
    header = ""
    for f in api.functions.values():
        if f.header != header:
            header = f.header
            lines += ["", f"# {header}"]
        names = [name_of(p.name) for p in f.parameters]
        typed = [f"{n}::{argument_type(p.type, api)}" for n, p in zip(names, f.parameters)]
        lines.append(f"function {f.name}({', '.join(names)})")
        head, tail = f"    return @ccall libperp.{f.name}(", f")::{argument_type(f.result, api)}"
        one = head + ", ".join(typed) + tail
        if len(one) <= 100:
            lines.append(one)
        else:
            lines += [head] + [f"        {t}," for t in typed[:-1]] + [f"        {typed[-1]}{tail}"]
        lines.append("end")
    lines.append("")
    for name, values in api.defaults.items():
        changes = [f"struct_size=sizeof({name})"]
        changes += [f"{name_of(k)}={v}" for k, v in values.items() if k != "struct_size" and v != 0]
        lines.append(f"initial(::Type{{{name}}}) = with(zeroed({name}); {', '.join(changes)})")
    return "\n".join(lines) + "\n"


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    files = [a for a in arguments if a != "--check"]
    file = pathlib.Path(files[0]) if files else HERE / "src" / "c.jl"
    text = text_of(headers.read(HERE.parent.parent / "include"))
    if not check:
        file.write_text(text)
    elif not file.exists() or file.read_text() != text:
        print(f"{file} is not what the headers say: run bindings/julia/generate.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
