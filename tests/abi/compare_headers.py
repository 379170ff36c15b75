#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the public headers of a release with those of now.

    compare_headers.py OLD_INCLUDE NEW_INCLUDE SUPPRESSIONS

Every function, callback, struct, constant and default of the old ones has to be in the new ones as
it was; what is new is counted. A struct that begins with struct_size, or is only shown (as
docs/VERSIONING.md says), may have new fields at its end, and a field named reserved may get a name;
what is inside a struct that both only declare is the library's own. The file SUPPRESSIONS is written
to tell abidiff of both. Exit code 1 where something else has changed, or where a struct that can
grow is not tested in tests/test_struct_size.c; experimental.h is left out.
"""
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "bindings"), str(SOURCE / "tests")]
import check_structs  # noqa: E402
import headers  # noqa: E402

SHOWN = check_structs.tables_of((SOURCE / "docs" / "VERSIONING.md").read_text())["shown"]
VERSION = {"PERP_VERSION", "PERP_VERSION_MAJOR", "PERP_VERSION_MINOR", "PERP_VERSION_PATCH"}


def signature(function):
    return (plain(function.result), [plain(p.type) for p in function.parameters])


def plain(t):
    """A type as text; what a pointer to a function takes is part of it."""
    if t is None:
        return ""
    inner = signature(t.to) if isinstance(t.to, headers.Function) else plain(t.to)
    const = "const " if t.const else ""
    return f"{const}{t.kind} {t.name} {t.length or ''} {inner}".strip()


def named_alike(old, new):
    return old.name == new.name or old.name.startswith("reserved")


def compare_struct(old, new):
    """(sentences about what has changed, whether it has grown as it may)"""
    if old.fields is None or new.fields is None:
        return ([], False) if old.fields is new.fields else ([f"{old.name} is opaque in one"], False)
    wrong = []
    grows = old.name in SHOWN or (bool(old.fields) and old.fields[0].name == "struct_size")
    for i, a in enumerate(old.fields):
        if i >= len(new.fields):
            wrong.append(f"{old.name}.{a.name} is gone")
            continue
        b = new.fields[i]
        if not named_alike(a, b):
            wrong.append(f"{old.name}.{a.name} has become {b.name}")
        elif a.offset != b.offset or plain(a.type) != plain(b.type):
            wrong.append(f"{old.name}.{a.name}: {plain(a.type)} at {a.offset} has become "
                         f"{plain(b.type)} at {b.offset}")
    more = len(new.fields) > len(old.fields)
    if more and not grows:
        wrong.append(f"{old.name} has got {new.fields[len(old.fields)].name}: it cannot grow")
    if old.size != new.size and not (grows and more):
        wrong.append(f"{old.name} has {new.size} bytes, before {old.size}")
    renamed = any(a.name != b.name for a, b in zip(old.fields, new.fields))
    return wrong, not wrong and (more or renamed)


def compare(old, new):
    """(sentences about what has changed, names of structs that have grown)"""
    wrong, grown = [], []
    for what, a, b in (("function", old.functions, new.functions),
                       ("callback", old.callbacks, new.callbacks)):
        for name, f in a.items():
            if name not in b:
                wrong.append(f"{what} {name} is gone")
            elif signature(f) != signature(b[name]):
                wrong.append(f"{what} {name} was {signature(f)}, is {signature(b[name])}")
    for name, value in old.constants.items():
        if name not in VERSION and new.constants.get(name) != value:
            wrong.append(f"constant {name} was {value}, is {new.constants.get(name, 'gone')}")
    for name, struct in old.structs.items():
        if name not in new.structs:
            wrong.append(f"struct {name} is gone")
            continue
        changes, has_grown = compare_struct(struct, new.structs[name])
        wrong += changes
        grown += [name] if has_grown else []
    for name, fields in old.defaults.items():
        for field, value in fields.items():
            now = new.defaults.get(name, {}).get(field)
            if field != "struct_size" and now != value and not field.startswith("reserved"):
                wrong.append(f"{name.upper()}_INIT: {field} was {value}, is {now}")
    return wrong, grown


def untested(new):
    """Structs with a struct_size that tests/test_struct_size.c does not name."""
    text = (pathlib.Path(__file__).resolve().parents[1] / "test_struct_size.c").read_text()
    return [f"tests/test_struct_size.c does not know {name}" for name, s in new.structs.items()
            if s.fields and s.fields[0].name == "struct_size" and name not in text
            and f"X({name[len('perp_'):].removesuffix('_options')}," not in text]


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    old, new = headers.read(sys.argv[1]), headers.read(sys.argv[2])
    wrong, grown = compare(old, new)
    pathlib.Path(sys.argv[3]).write_text("".join(
        f"[suppress_type]\n  name_regexp = ^{name}$\n  has_data_member_inserted_at = end\n"
        "  has_size_change = yes\n" for name in grown) + "".join(
        f"[suppress_type]\n  name_regexp = ^{name}$\n" for name, struct in old.structs.items()
        if struct.fields is None))
    wrong += untested(new)
    for line in wrong:
        print(line)
    for kind in ("functions", "callbacks", "structs", "constants"):
        a, b = getattr(old, kind), getattr(new, kind)
        print(f"{kind}: {len(a)}, new {len(set(b) - set(a))}"
              + (f", grown {' '.join(grown)}" if kind == "structs" and grown else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
