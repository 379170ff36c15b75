#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write perp_c.f90, the C interface in Fortran, from the headers, and modules from their templates.

    generate.py FOLDER [TEMPLATE ...]     each kinds.f90.in becomes FOLDER/kinds.f90, see templates.py

Rules of the transcription:
  names       those of C. Fortran does not tell upper from lower case: of two fields or arguments
              that differ in nothing else the upper-case one gets "_" behind it (h and H_)
  numbers     int32_t and uint32_t integer(c_int32_t), size_t integer(c_size_t), double real(c_double)
  pointers    in structs and as results type(c_ptr), functions type(c_funptr)
  arguments   void and opaque pointers type(c_ptr), value; pointers to a struct that scalar; pointers
              to numbers (*); all of these may be left out where C takes NULL
  defaults    every component 0 or null; PERP_..._INIT is the function perp_..._init_value()
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
sys.path.insert(0, str(HERE.parent))
import headers  # noqa: E402
import templates  # noqa: E402

INTEGER = {"int32_t": "c_int32_t", "uint32_t": "c_int32_t", "int64_t": "c_int64_t",
           "uint64_t": "c_int64_t", "size_t": "c_size_t", "uint16_t": "c_int16_t", "uint8_t": "c_int8_t",
           "int": "c_int"}
# Names of constants that are those of functions in lower case.
RENAMED = {"PERP_VERSION": "PERP_HEADER_VERSION"}
# Pointers to structs behind which there is an array.
ARRAYS = {("perp_simulation_contacts", "list")}
LENGTH = 100


def wrap(text, indent):
    """A statement in lines of at most LENGTH columns, cut at blanks and behind brackets, not in strings."""
    pad = " " * indent
    lines, line = [], pad + text
    while len(line) > LENGTH:
        cut = max(i + (line[i] == "(") for i in range(indent + 8, LENGTH - 2)
                  if line[i] in " (" and line[:i].count('"') % 2 == 0)
        lines.append(line[:cut].rstrip() + " &")
        line = pad + "  " + line[cut:].lstrip()
    return "\n".join(lines + [line])


def names(fields):
    """Their Fortran names: see the rules above."""
    seen, out = {}, []
    for f in fields:
        seen.setdefault(f.name.lower(), set()).add(f.name)
    for f in fields:
        clash = len(seen[f.name.lower()]) > 1 and f.name != f.name.lower()
        out.append(f.name + "_" if clash else f.name)
    return out


class Writer:
    def __init__(self, api):
        self.api = api
        self.lines = []

    def put(self, text="", indent=0, whole=False):
        self.lines.append(wrap(text, indent) if text and not whole else (" " * indent + text).rstrip())

    def is_defined(self, t):
        return t.kind == "struct" and self.api.structs[t.name].fields is not None

    def scalar(self, t):
        """Type of a number or struct, without its place."""
        if t.kind == "integer":
            return "character(kind=c_char)" if t.name == "char" else f"integer({INTEGER[t.name]})"
        if t.kind == "double":
            return "real(c_double)"
        if t.kind == "callback" or t.is_pointer_to("function"):
            return "type(c_funptr)"
        if t.kind == "pointer":
            return "type(c_ptr)"
        if t.kind == "struct":
            return f"type({t.name})"
        raise ValueError(t)

    def component(self, name, t):
        if t.kind == "array":
            return f"{self.scalar(t.to)} :: {name}({t.length}) = {self.zero(t.to)}"
        zero = self.zero(t)
        return f"{self.scalar(t)} :: {name}" + (f" = {zero}" if zero else "")

    def zero(self, t):
        if t.kind == "integer":
            return "0"
        if t.kind == "double":
            return "0.0_c_double"
        if t.kind == "struct":
            return ""
        return "c_null_funptr" if self.scalar(t) == "type(c_funptr)" else "c_null_ptr"

    def argument(self, function, name, t):
        if t.kind == "pointer" and t.to.kind != "function":
            to, intent = t.to, "in" if t.to.const else "inout"
            if to.kind == "pointer" and not to.const:  # somewhere to put an address
                return f"type(c_ptr), intent(inout), optional :: {name}"
            if to.kind == "integer" and to.name == "char":
                return f"character(kind=c_char), intent({intent}), optional :: {name}(*)"
            if to.kind in ("integer", "double"):
                return f"{self.scalar(to)}, intent({intent}), optional :: {name}(*)"
            if self.is_defined(to):
                many = "(*)" if (function, name) in ARRAYS else ""
                return f"type({to.name}), intent({intent}), optional :: {name}{many}"
        return f"{self.scalar(t)}, value :: {name}"

    def callback_argument(self, name, t):
        """As the argument of a function that C calls: arrays come as addresses, for their lengths
        are known to the callback alone."""
        if t.kind == "pointer" and t.to.kind == "struct" and self.is_defined(t.to):
            return f"type({t.to.name}), intent({'in' if t.to.const else 'inout'}) :: {name}"
        return f"{self.scalar(t)}, value :: {name}"

    def interface(self, f, abstract):
        arguments = names(f.parameters)
        lines = [self.callback_argument(n, p.type) if abstract else self.argument(f.name, n, p.type)
                 for n, p in zip(arguments, f.parameters)]
        word = "subroutine" if f.result.kind == "void" else "function"
        result = "" if word == "subroutine" else self.scalar(f.result)
        head = f"{word} {f.name}({', '.join(arguments)}) bind(C"
        head += ")" if abstract else f', name="{f.name}")'
        if word == "function":
            head += " result(answer)"
        self.put(head, 4)
        self.put("import", 6)
        for line in lines:
            self.put(line, 6)
        if result:
            self.put(f"{result} :: answer", 6)
        self.put(f"end {word}", 4)

    def default_function(self, struct, values):
        name = struct.name + "_init_value"
        self.put(f"!> What {struct.name.upper()}_INIT sets.", 2)
        self.put(f"pure function {name}() result(value)", 2)
        self.put(f"type({struct.name}) :: value", 4)
        for f, fortran in zip(struct.fields, names(struct.fields)):
            if f.name == "struct_size":
                self.put("value%struct_size = int(c_sizeof(value), c_int32_t)", 4)
            elif values.get(f.name, 0) != 0:
                number = values[f.name]
                text = f"{number!r}_c_double" if isinstance(number, float) else str(number)
                self.put(f"value%{fortran} = {text}", 4)
        self.put("end function", 2)
        self.put()

    def module(self):
        api = self.api
        lower = {n.lower() for n in list(api.functions) + list(api.structs) + list(api.callbacks)}
        constants = {RENAMED.get(n, n): v for n, v in api.constants.items()}
        clash = sorted(n for n in constants if n.lower() in lower)
        if clash:
            raise SystemExit(f"generate.py: RENAMED lacks {clash}")
        self.put("! SPDX-License-Identifier: MIT")
        self.put("! Written by bindings/fortran/generate.py from the headers in include/perp: change those.")
        self.put("!> The stable C interface, name by name; the module perp makes it pleasant.")
        self.put("module perp_c")
        self.put("use, intrinsic :: iso_c_binding", 2)
        self.put("implicit none", 2)
        self.put("public", 2)
        self.put()
        for name, value in constants.items():
            self.put(f"integer(c_int32_t), parameter :: {name} = {value}", 2)
        for name, value in reals():
            self.put(f"real(c_double), parameter :: {name} = {value}_c_double", 2)
        for s in api.structs.values():
            if s.fields is None:
                continue
            self.put()
            self.put(f"!> {s.header}", 2)
            self.put(f"type, bind(C) :: {s.name}", 2)
            for f, fortran in zip(s.fields, names(s.fields)):
                self.put(self.component(fortran, f.type), 4)
            self.put("end type", 2)
        self.put()
        self.put("abstract interface", 2)
        for f in api.callbacks.values():
            self.interface(f, True)
        self.put("end interface", 2)
        self.put()
        self.put("interface", 2)
        header = ""
        for f in api.functions.values():
            if f.header != header:
                header = f.header
                self.put(f"! {header}", 4)
            self.interface(f, False)
        self.put("end interface", 2)
        self.put()
        self.put("contains")
        self.put()
        for name, values in api.defaults.items():
            self.default_function(api.structs[name], values)
        self.put("end module perp_c")
        return "\n".join(self.lines) + "\n"


def reals():
    """Constants that are no integers, which headers.py leaves out."""
    for file in sorted((INCLUDE / "perp").glob("*.h")):
        for m in re.finditer(r"^#define (PERP_\w+) (\d*\.?\d+e-?\d+)$", file.read_text(), re.M):
            yield m[1], m[2]


def expanded(template, api):
    writer = Writer(api)
    writer.put("! SPDX-License-Identifier: MIT")
    writer.put(f"! Written by bindings/fortran/generate.py from {template.name}: change that.")
    templates.Expander(api, writer.put, names).expand(template.read_text().split("\n", 1)[1])
    return "\n".join(writer.lines) + "\n"


def main():
    folder, sources = pathlib.Path(sys.argv[1]), [pathlib.Path(a) for a in sys.argv[2:]]
    api = headers.read(INCLUDE)
    (folder / "perp_c.f90").write_text(Writer(api).module())
    for template in sources:
        (folder / template.stem).write_text(expanded(template, api))


if __name__ == "__main__":
    main()
