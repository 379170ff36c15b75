#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write perp/_c.py from include/perp, the C names as ctypes has them, and perp/_records.py, what C
answers with as dataclasses.

    bindings/python/generate.py            writes them (needs python3-pycparser and a C compiler)
    bindings/python/generate.py --check    compares; exit code 1 where it differs

Pointers to numbers, to pointers and to opaque structs are addresses (`address`, a c_void_p), those
to structs POINTERs.
Sizes and offsets are left to ctypes, so that tests/test_layout.py can compare them with those of
the C compiler.
"""
import argparse
import pathlib
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import headers  # noqa: E402

SCALARS = {"int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64",
           "uint64_t": "c_uint64", "size_t": "c_size_t", "uint16_t": "c_uint16", "uint8_t": "c_uint8", "int": "c_int",
           "char": "c_char"}

HEAD = '''# SPDX-License-Identifier: MIT
"""The C names of perp as ctypes has them. Written by generate.py from include/perp: do not edit."""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t,
                    c_uint16, c_uint32, c_void_p)
from typing import Any

address = c_void_p  # of numbers, or of what C does not show
'''

TAIL = '''

def bind(library: Any) -> None:
    """Give the functions of a loaded library their prototypes."""
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
'''


RECORDS = {"Iterate": "perp_iterate", "Verdict": "perp_law_verdict", "Report": "perp_report",
           "EventReport": "perp_event_report", "Contact": "perp_contact_view"}
SKIPPED = {"struct_size", "reserved", "rows"}

RECORDS_HEAD = '''# SPDX-License-Identifier: MIT
"""What C answers with, as values. Written by generate.py from include/perp: do not edit."""
from dataclasses import dataclass

from ._arrays import Array
'''


class Emitter:
    def __init__(self, api):
        self.api = api

    def type(self, t):
        if t.kind == "void":
            return "None"
        if t.kind == "double":
            return "c_double"
        if t.kind == "integer":
            return SCALARS[t.name]
        if t.kind in ("struct", "callback"):
            return t.name
        if t.kind == "array":
            return f"{self.type(t.to)} * {t.length}"
        to = t.to
        if to.kind == "function":
            return self.prototype(to.to)
        if to.kind == "integer" and to.name == "char":
            return "c_char_p" if to.const else "address"
        known = self.api.structs.get(to.name) if to.kind == "struct" else None
        if known is not None and known.fields is not None:
            return f"POINTER({to.name})"
        return "address"

    def prototype(self, function):
        return f"CFUNCTYPE({', '.join([self.type(function.result)] + self.arguments(function))})"

    def arguments(self, function):
        return [self.type(p.type) for p in function.parameters]

    def text(self):
        out = [HEAD, f'VERSION = "{self.api.version}"']
        out += [f"{name} = {value}" for name, value in self.api.constants.items()]
        structs = [s for s in self.api.structs.values() if s.fields is not None]
        for s in structs:
            summary = s.comment.split("\n\n")[0].replace("\\", "\\\\").replace('"""', "'''")
            body = textwrap.fill(" ".join(summary.split()) or s.name, 92, initial_indent='    """',
                                 subsequent_indent="    ")
            out.append(f'\n\nclass {s.name}(Structure):\n{body}"""\n\n    header = "perp/{s.header}"')
        out.append("\n")
        out += [f"{name} = {self.prototype(c)}" for name, c in self.api.callbacks.items()]
        out.append("")
        for s in structs:
            out.append(f"{s.name}._fields_ = [")
            out += [f'    ("{f.name}", {self.type(f.type)}),' for f in s.fields]
            out.append("]")
        out.append("\nSTRUCTS = {")
        out += [f'    "{s.name}": {s.name},' for s in structs]
        out.append("}\n\nDEFAULTS = {  # what the macros PERP_..._INIT set beside struct_size")
        for name, values in self.api.defaults.items():
            rest = {k: v for k, v in values.items() if k != "struct_size" and v}
            out.append(f'    "{name}": {rest!r},')
        out.append("}\n\nFUNCTIONS = {")
        for name, f in self.api.functions.items():
            out.append(f'    "{name}": ({self.type(f.result)}, [{", ".join(self.arguments(f))}]),')
        out.append("}\n")
        return "\n".join(out) + TAIL


    def record_type(self, t):
        """Of a field: two halves of a count are one number, other integers a tuple."""
        if t.kind in ("integer", "double"):
            return "int" if t.kind == "integer" else "float"
        if t.kind == "array" and t.to.kind == "integer":
            return "int" if t.to.name == "uint32_t" else f"tuple[{', '.join(['int'] * t.length)}]"
        return "str" if t.is_pointer_to("integer") else "Array"

    def records(self):
        out = [RECORDS_HEAD]
        for name, struct in RECORDS.items():
            s = self.api.structs[struct]
            comment = " ".join(s.comment.split())
            out.append(f"\n@dataclass(frozen=True)\nclass {name}:\n" +
                       textwrap.fill(f'"""{comment}"""', 110, initial_indent="    ", subsequent_indent="    ") + "\n")
            for f in s.fields:
                if f.name not in SKIPPED:
                    out += textwrap.wrap(f.comment, 110, initial_indent="    # ", subsequent_indent="    # ")
                    out.append(f"    {'lambda_' if f.name == 'lambda' else f.name}: {self.record_type(f.type)}")
            out.append("")
        return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description="Write perp/_c.py and _records.py from the public headers.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    emitter = Emitter(headers.read(ROOT / "include"))
    for name, text in (("_c.py", emitter.text()), ("_records.py", emitter.records())):
        path = HERE / "perp" / name
        if not check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"bindings/python/perp/{name} is not what generate.py writes: run it again")


if __name__ == "__main__":
    main()
