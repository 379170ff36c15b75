#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare perp_c.f90 (FILE), as gfortran lays it out and as it stands, with the C headers.

    check_layout.py FILE [--fc COMPILER]

Sizes and offsets of every bind(C) type are printed by a Fortran program, those of the structs by
a C one. The interfaces are read as text: same functions, as many arguments, values and addresses
where C has them. Then the same on copies with a fault each, which have to be found.
"""
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE.parent))
import headers  # noqa: E402


def statements(text):
    """Lines without comments, continued ones joined."""
    joined = re.sub(r"\(\s+", "(", re.sub(r"&\n\s*", "", text))
    return [s.strip() for s in joined.splitlines()
            if s.strip() and not s.strip().startswith("!")]


def types_of(text):
    """{type: [component, ...]} of the bind(C) types, in order."""
    types, current = {}, None
    for line in statements(text):
        m = re.match(r"type, bind\(C\) :: (\w+)", line)
        if m:
            current = types.setdefault(m[1], [])
        elif line == "end type":
            current = None
        elif current is not None:
            current.append(re.search(r":: (\w+)", line)[1])
    return types


@functools.lru_cache(maxsize=None)
def layout_of(text, compiler):
    """{type: (size, [(component, offset, bytes), ...])} as the compiler has it; text: a module."""
    types = types_of(text)
    program = ["program layout", "use perp_c", "implicit none", "integer(c_intptr_t) :: at"]
    program += [f"type({t}), target :: v{i}" for i, t in enumerate(types)]
    for i, (t, components) in enumerate(types.items()):
        program += [f"at = transfer(c_loc(v{i}), at)", f"print '(a, i0)', '{t} ', c_sizeof(v{i})"]
        for c in components:
            program.append(f"print '(a, i0, a, i0)', '{t} {c} ', transfer(c_loc(v{i}%{c}), at) - at, "
                           f"' ', storage_size(v{i}%{c}) / 8 * max(1, product(shape(v{i}%{c})))")
    program.append("end program")
    with tempfile.TemporaryDirectory() as scratch:
        pathlib.Path(scratch, "perp_c.f90").write_text(text)
        pathlib.Path(scratch, "layout.f90").write_text("\n".join(program) + "\n")
        # c_loc of an array component of an interoperable type is fine from Fortran 2018 on
        subprocess.run([compiler, "-std=f2018", "-w", "-ffree-line-length-none", "perp_c.f90",
                        "layout.f90", "-o", "layout"], cwd=scratch, check=True)
        answers = subprocess.run([pathlib.Path(scratch, "layout")], check=True, text=True,
                                 capture_output=True).stdout
    layout = {}
    for line in answers.splitlines():
        words = line.split()
        if len(words) == 2:
            layout[words[0]] = (int(words[1]), [])
        else:
            layout[words[0]][1].append((words[1], int(words[2]), int(words[3])))
    return layout


def bytes_of(t, api):
    if t.kind == "array":
        return t.length * bytes_of(t.to, api)
    if t.kind == "integer":
        return {"size_t": 8, "int64_t": 8, "uint64_t": 8, "uint16_t": 2}.get(t.name, 4)
    return api.structs[t.name].size if t.kind == "struct" else 8


def letter(t):
    """What an argument is: i, d, s by value, * an address, f a function."""
    if t.kind == "callback" or t.is_pointer_to("function"):
        return "f"
    return {"integer": f"i{4 if t.name not in ('size_t', 'int64_t') else 8}", "double": "d",
            "struct": "s", "pointer": "*", "void": ""}[t.kind]


def fortran_letter(declaration):
    by_value = ", value" in declaration or "::" not in declaration
    kind = declaration.split(",")[0].split(" ::")[0]
    if not by_value or kind == "type(c_ptr)":
        return "*"
    return {"integer(c_int32_t)": "i4", "integer(c_size_t)": "i8", "integer(c_int64_t)": "i8",
            "real(c_double)": "d", "type(c_funptr)": "f"}.get(kind, "s")


def interfaces_of(text):
    """{function: (result, [argument, ...])} in letters."""
    found, name = {}, None
    for line in statements(text):
        m = re.match(r"(function|subroutine) (perp_\w+)\((.*?)\) bind\(C", line)
        if m:
            name, arguments = m[2], [a.strip() for a in m[3].split(",") if a.strip()]
            bound = re.search(r'name="(\w+)"', line)
            found[name] = [bound[1] if bound else None, "", dict.fromkeys(arguments, "missing")]
        elif name and re.match(r"end (function|subroutine)", line):
            name = None
        elif name and "::" in line:
            declaration, variable = line.rsplit(" :: ", 1)
            variable = variable.replace("(*)", "")
            if variable == "answer":
                found[name][1] = fortran_letter(declaration)
            else:
                found[name][2][variable] = fortran_letter(line)
    return found


def differences(text, api, compiler):
    """Sentences about what is not as in C."""
    wrong = []
    structs = {n: s for n, s in api.structs.items() if s.fields is not None}
    types_alone = text.split("  abstract interface\n")[0] + "end module perp_c\n"
    layout = layout_of(types_alone, compiler)
    wrong += [f"type {n} is missing" for n in structs if n not in layout]
    wrong += [f"type {n} is not in the headers" for n in layout if n not in structs]
    for name in structs.keys() & layout.keys():
        size, components = layout[name]
        if size != structs[name].size:
            wrong.append(f"{name} has {size} bytes, in C {structs[name].size}")
        expected = [(f.name, f.offset, bytes_of(f.type, api)) for f in structs[name].fields]
        given = [(c.rstrip("_") if f[0] == c.rstrip("_") else c, o, b)
                 for (c, o, b), f in zip(components, expected)] + components[len(expected):]
        wrong += [f"{name}: {g} in Fortran, {e} in C" for g, e in zip(given, expected) if g != e]
        if len(given) != len(expected):
            wrong.append(f"{name} has {len(given)} components, in C {len(expected)}")
    found = interfaces_of(text)
    wrong += [f"{n} is not in the headers" for n in found
              if n not in api.functions and n not in api.callbacks]
    for name, f in list(api.functions.items()) + list(api.callbacks.items()):
        bound = name if name in api.functions else None
        expected = [bound, letter(f.result), [letter(p.type) for p in f.parameters]]
        given = found.get(name)
        given = given and [given[0], given[1], list(given[2].values())]
        if given != expected:
            wrong.append(f"{name}: {given} in Fortran, {expected} in C")
    constants = dict(re.findall(r"parameter :: (PERP_\w+) = (-?\d+)$", text, re.M))
    for name, value in api.constants.items():
        given = constants.get(name, constants.get(name.replace("PERP_", "PERP_HEADER_")))
        if given is None or int(given) != value:
            wrong.append(f"{name} is {given} in Fortran, {value} in C")
    return wrong


FAULTS = [  # (what, from, to)
    ("swapped components", "real(c_double) :: e_n = 0.0_c_double\n    real(c_double) :: e_t = 0.0_c_double",
     "real(c_double) :: e_t = 0.0_c_double\n    real(c_double) :: e_n = 0.0_c_double"),
    ("a component of another size", "integer(c_int32_t) :: equalities = 0", "integer(c_size_t) :: equalities = 0"),
    ("a missing component", "    real(c_double) :: mu_rolling = 0.0_c_double\n", ""),
    ("a missing argument", "function perp_version() bind", "function perp_version(extra) bind"),
    ("an address in place of a value", "real(c_double), value :: until\n      type(c_funptr)",
     "real(c_double) :: until\n      type(c_funptr)"),
    ("another constant", "PERP_STOPPED = 5", "PERP_STOPPED = 6"),
    ("another symbol", 'name="perp_equality_init"', 'name="perp_box_init"'),
]


def main():
    compiler = sys.argv[sys.argv.index("--fc") + 1] if "--fc" in sys.argv else "gfortran"
    api = headers.read(HERE.parent.parent / "include")
    text = pathlib.Path(sys.argv[1]).read_text()
    wrong = differences(text, api, compiler)
    print("\n".join(wrong) or f"{len(types_of(text))} types, {len(api.functions)} functions, "
          f"{len(api.constants)} constants agree")
    for what, before, after in FAULTS:
        if before not in text:
            print(f"no place for the fault: {what}")
            return 1
        found = [d for d in differences(text.replace(before, after, 1), api, compiler)
                 if d not in wrong]
        print(f"{what}: {found[0] if found else 'NOT FOUND'}")
        if not found:
            return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
