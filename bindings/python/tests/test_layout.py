# SPDX-License-Identifier: MIT
"""perp/_c.py against the C compiler: sizes, offsets, constants, and every exported function."""
import ctypes
import pathlib
import sys
import unittest

from perp import _c
from perp._library import lib

BINDINGS = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(BINDINGS))
import headers  # noqa: E402  needs python3-pycparser; its sizes are those of a program it compiles

API = headers.read(BINDINGS.parent / "include")


class Layout(unittest.TestCase):
    def test_structs_have_the_compilers_sizes_and_offsets(self):
        known = {name: s for name, s in API.structs.items() if s.fields is not None}
        self.assertEqual(set(known), set(_c.STRUCTS))
        self.assertGreater(len(known), 60)
        for name, s in known.items():
            mine = _c.STRUCTS[name]
            self.assertEqual(ctypes.sizeof(mine), s.size, name)
            self.assertEqual([f for f, _ in mine._fields_], [f.name for f in s.fields], name)
            for f in s.fields:
                self.assertEqual(getattr(mine, f.name).offset, f.offset, f"{name}.{f.name}")

    def test_sizes_of_fields_fill_the_structs(self):
        sizes = {"double": 8, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "size_t": ctypes.sizeof(ctypes.c_size_t)}
        for name, s in API.structs.items():
            for f in s.fields or []:
                if f.type.name in sizes:
                    self.assertEqual(getattr(_c.STRUCTS[name], f.name).size, sizes[f.type.name], f"{name}.{f.name}")

    def test_constants_are_those_of_the_headers(self):
        for name, value in API.constants.items():
            self.assertEqual(getattr(_c, name), value, name)

    def test_every_function_is_in_the_library(self):
        self.assertEqual(set(API.functions), set(_c.FUNCTIONS))
        for name, (result, arguments) in _c.FUNCTIONS.items():
            self.assertEqual(getattr(lib, name).argtypes, arguments, name)
            self.assertEqual(len(arguments), len(API.functions[name].parameters), name)

    def test_the_status_of_each_number_has_its_name(self):
        import perp
        for s in perp.Status:
            self.assertEqual(getattr(_c, f"PERP_{s.name}"), int(s))
            self.assertNotEqual(s.text, "unknown status")
        codes = {n for n in API.constants if n.startswith("PERP_")}
        self.assertLessEqual({f"PERP_{s.name}" for s in perp.Status}, codes)


if __name__ == "__main__":
    unittest.main()
