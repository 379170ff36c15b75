#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of model files against the C headers, and its schema against the reader:

    check_model_table.py PERP

castxml (the clang compiler's view of perp.h) tells every field of every system, relation, law, options struct
and what these are made of: a key of model files reaches it, or it stands below with its reason. A reason that
excuses nothing is wrong, too. Then each of these structs gets a field that no file has, which has to be found.
Where node and ajv are, and if PERP_AJV is "required": of 200 good and 200 bad models, made
from those of examples/models, the schema by ajv and `perp check` say the same."""
import copy
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Fields of any struct.
ALWAYS = {"struct_size": "set by the library", "reserved": "0", "user": "what callbacks of a file are handed",
          "ops": "set by the library", "kind": "set by the library", "observe": "a callback of programs",
          "parallel": "a callback of programs", "parallel_user": "handed to it"}
# Of one, also of a struct within.
LEFT_OUT = {
    ("perp_system", "n"): "the key n",
    ("perp_relation", "m"): "the key m",
    ("perp_relation", "n"): "by the systems joined",
    **{("perp_linear_varying_relation", "linear." + field): "the same as a function" for field in "CDBFea"},
    ("perp_fremond", "friction.e_t"): "not used, 0",
    ("perp_lagrangian_relation", "reads"): "by the kind of the file",
    ("perp_lagrangian_relation", "bodies"): "by the systems joined",
    ("perp_lagrangian_velocity_relation", "bodies"): "by the systems joined",
    ("perp_lagrangian_contact_relation", "bodies"): "by the systems joined",
    ("perp_lagrangian_contact_relation", "size"): "rows of T and one",
    ("perp_first_order_relation", "reads"): "all that there is",
    ("perp_joint", "point_a"): "placed by perp_joint_place()",
    ("perp_joint", "point_b"): "placed by perp_joint_place()",
    ("perp_joint", "frame_a"): "placed by perp_joint_place()",
    ("perp_joint", "frame_b"): "placed by perp_joint_place()",
    ("perp_gear", "frame_a"): "placed by perp_gear_place()",
    ("perp_gear", "frame_b"): "placed by perp_gear_place()",
    ("perp_gear", "carrier_a"): "placed by perp_gear_place()",
    ("perp_gear", "carrier_b"): "placed by perp_gear_place()",
    ("perp_lemke_options", "covering"): "by unknown of a one-step problem, which a file does not know",
    ("perp_box_pivoting_options", "covering"): "by unknown of a one-step problem, which a file does not know",
    ("perp_prescribed_velocity", "harmonics"): "terms of the expression velocity",
    ("perp_prescribed_velocity", "n_harmonics"): "terms of the expression velocity",
    ("perp_simulation_options", "thetas"): "theta of each system",
    ("perp_simulation_options", "integrators"): "integrator of each system",
    ("perp_simulation_options", "solver_options"): "the table solver",
    **{("perp_law_ops", field): reason for field, reason in {
        "name": "user", "check": "the library's", "bounds": "lower and upper", "state_bytes": "state",
        "state_init": "state", "commit": "commit_step, at order 1, too", "restitute": "restitute_step, which replaces it",
        "local": "solvers have their own", "local_within": "solvers have their own", "is_bounded": "bounded",
        "project_with": "project, which may have memory of its own", "project_doubles": "likewise",
        "fields": "how the reader keeps a law"}.items()},
    ("perp_event_options", "solver_options"): "the table solver",
    ("perp_event_options", "guards"): "the tables guards",
    ("perp_event_options", "schedules"): "the tables schedules",
    ("perp_event_options", "n_guards"): "the tables guards",
    ("perp_event_options", "n_schedules"): "the tables schedules",
}
# Structs of models and solvers that no file has.
NO_FILE = {
    "perp_user_impact": "an impact law by a callback; the law user has expressions",
    "perp_body_contact": "the kinds sphere_plane, sphere_sphere and point_plane fill it",
    "perp_piecewise_relation": "made of the law piecewise_linear",
    "perp_pieces": "made of the law piecewise_linear",
    "perp_harmonic": "terms of the expression velocity",
    "perp_matrix": "a list, rows or blocks, of which the reader makes it",
    "perp_solver": "a table of functions, by its name",
    "perp_sparse": "a table of functions, by its name",
    "perp_backend": "a table of functions, by its name",
    "perp_step_solver": "a table of functions, by its name",
    "perp_owner": "memory of programs",
    "perp_global_options": "one problem of a program; runs have formulation",
    "perp_mcp_options": "one problem of a program",
    "perp_sensitivity_options": "of a solution that a program has",
    "perp_log_options": "options of `perp run`",
}


BEGINNINGS = {"perp_system", "perp_relation", "perp_law"}


class Headers:
    """What clang says of perp.h in a folder of headers. structs: name -> [(field, struct)], where struct is
    what the field is by value, or None; leads: name -> structs that its fields are or point to;
    inputs: structs that functions of the builder read."""

    def __init__(self, include):
        with tempfile.TemporaryDirectory() as scratch:
            source, out = pathlib.Path(scratch, "all.c"), pathlib.Path(scratch, "all.xml")
            source.write_text('#include "perp/perp.h"\n')
            subprocess.run(["castxml", "--castxml-output=1", f"-I{include}", "-std=c99", str(source), "-o", str(out)],
                           check=True)
            self.by_id = {e.get("id"): e for e in ET.parse(out).getroot()}
        self.structs, self.leads, self.inputs = {}, {}, set()
        for e in self.by_id.values():
            name = e.get("name") or ""
            if e.tag == "Struct" and name.startswith("perp_") and e.get("incomplete") != "1":
                fields = [self.by_id[m] for m in (e.get("members") or "").split()]
                fields = [(f.get("name"), self.struct_of(f.get("type"))) for f in fields if f.tag == "Field"]
                self.structs[name] = [(f, to if by_value else None) for f, (to, by_value, _) in fields]
                self.leads[name] = {to for _, (to, _, _) in fields if to}
            elif e.tag == "Function" and name.startswith("perp_builder_"):
                arguments = [self.struct_of(a.get("type")) for a in e if a.tag == "Argument"]
                self.inputs |= {to for to, by_value, const in arguments if to and const and not by_value}

    def struct_of(self, key):
        """(perp struct or None, by value, const) of a type, through names, pointers and arrays."""
        by_value, const = True, False
        while True:
            e = self.by_id[key]
            const = const or e.get("const") == "1"
            by_value = by_value and e.tag != "PointerType"
            if e.tag not in ("Typedef", "CvQualifiedType", "ElaboratedType", "PointerType", "ArrayType"):
                name = e.get("name") or ""
                return (name if e.tag == "Struct" and name.startswith("perp_") else None), by_value, const
            key = e.get("type")

    def begins(self, name):
        """Whether it is a system, a relation or a law: one of these is what it begins with."""
        if name in BEGINNINGS:
            return True
        fields = self.structs.get(name)
        return bool(fields) and fields[0][1] is not None and self.begins(fields[0][1])

    def described(self):
        """Structs that models and their runs are described by, and what these are made of."""
        found = {n for n in self.structs if self.begins(n) or n.endswith("_options")} | self.inputs
        while more := set().union(*(self.leads.get(n, ()) for n in found)) - found:
            found |= more
        return {n for n in found if n in self.structs} - BEGINNINGS  # opaque ones have no fields


def fields_reached(schema):
    reached = {}
    for kind in schema["definitions"].values():
        if "x-struct" not in kind:
            continue
        here = reached.setdefault(kind["x-struct"], set())
        for key in kind["properties"].values():
            here |= set(key.get("x-fields", []))
    return reached


def unreached(headers, schema):
    """What is wrong, sentence by sentence."""
    reached, used = fields_reached(schema), set()
    wrong = []

    def look(struct, within, found, path=""):
        for field, inner in headers.structs[within]:
            name = path + field
            excused = [e for e in ((struct, name), (within, field)) if e in LEFT_OUT]
            if name in found:
                continue
            if excused:
                used.add(excused[0])
            elif field in ALWAYS:
                used.add(field)
            elif inner is not None and (headers.begins(inner) or any(f.startswith(name + ".") for f in found)):
                look(struct, inner, found, name + ".")
            else:
                wrong.append(f"{struct}.{name}: no key of model files reaches it, and no reason is listed")

    for struct in sorted(headers.described() | set(reached)):
        if struct in reached:
            look(struct, struct, reached[struct])
        elif struct in NO_FILE:
            used.add(struct)
        else:
            wrong.append(f"{struct}: no table of model files is of it, and no reason is listed")
    for struct, found in sorted(reached.items()):
        for path in sorted(found):
            at = struct
            for part in path.split("."):
                fields = dict(headers.structs.get(at, ()))
                if part not in fields:
                    wrong.append(f"{struct}.{path} is no field")
                    break
                at = fields[part]
    wrong += [f"the reason for {entry} excuses nothing" for entry in (*ALWAYS, *LEFT_OUT, *NO_FILE) if entry not in used]
    return wrong


def unnoticed(include, schema):
    """Structs that may get a field of no file without a word, of those whose text says that they are
    options, or begin as a system, a relation or a law does. The headers of `include` are changed."""
    struct = re.compile(r"^(?:typedef )?struct (perp_\w+) \{\s*(\w+).*?(?=^\}(?: \1)?;)", re.M | re.S)
    first = {}
    for header in set(include.glob("perp/*.h")) - {include / "perp/plugin.h"}:
        first |= dict(struct.findall(header.read_text()))
        header.write_text(struct.sub(r"\g<0>  double of_no_file;\n", header.read_text()))
    heads = set(BEGINNINGS)
    while more := {name for name, head in first.items() if head in heads} - heads:
        heads |= more
    expected = {name for name in first if name in heads or name.endswith("_options")} - set(NO_FILE)
    assert len(expected) > 45, sorted(expected)
    said = "\n".join(unreached(Headers(include), schema))
    return [f"{name}: a field of no file is not noticed" for name in sorted(expected) if f"{name}.of_no_file: " not in said
            and not re.search(rf"^perp_\w+\.\w*{name[5:]}\.of_no_file: ", said, re.M)]


def check_fields(schema):
    wrong = unreached(Headers(ROOT / "include"), schema)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "include", folder, dirs_exist_ok=True)
        return wrong + unnoticed(pathlib.Path(folder), schema)


def refusals(perp, models, folder):
    """What `perp check` says on stderr of each of the models, all of them files of one call."""
    names = [f"m{k}.json" for k in range(len(models))]
    for name, model in zip(names, models):
        pathlib.Path(folder, name).write_text(json.dumps(model))
    done = subprocess.run([perp, "check", *names], capture_output=True, text=True, timeout=300, cwd=folder)
    said = [[line for line in done.stderr.splitlines() if line.startswith(f"perp: {name}:")] for name in names]
    good = [f"{name}: " in done.stdout for name in names]
    assert done.returncode == (0 if all(good) else 2), done.stderr
    assert sum(map(len, said)) == len(done.stderr.splitlines()), done.stderr
    assert all(fine == (not lines) for fine, lines in zip(good, said)), done.stdout + done.stderr
    return ["\n".join(lines) for lines in said]


def tables_of(model, schema):
    """Each table of a kind with its properties of the schema."""
    defs = schema["definitions"]
    for system in model["systems"].values():
        yield system, defs["system-" + system["kind"]]["properties"]
    for joined in model["interactions"].values():
        for group in ("relation", "law"):
            if isinstance(joined[group], dict):
                yield joined[group], defs[f"{group}-{joined[group]['kind']}"]["properties"]
        yield joined, defs["interaction"]["properties"]
    for group in ("guards", "schedules", "tables"):
        for table in model.get(group, {}).values():
            yield table, defs[group[:-1]]["properties"]
    run = "events" if "events" in model else "simulation"
    yield model[run], defs[run]["properties"]


def by_events(model, rng):
    """The same model, event-driven, with a guard and a schedule."""
    del model["simulation"]
    model["events"] = {"until": 1, "rtol": rng.choice([1e-8, 1e-6])}
    name, system = rng.choice(sorted(model["systems"].items()))
    name += "[0]" if "repeat" in system else ""
    state = name + (".x[0]" if system["kind"].startswith("first_order") else ".v[0]")
    model["guards"] = {"g": {"value": rng.choice(["t - 0.5", 1, state]), "reset": {state: f"-{state}"}}}
    model["schedules"] = {"s": rng.choice([{"times": [0.25, 0.5]}, {"first": 0, "period": "1/4"}])}
    model["guards"]["g"].update(rng.choice([{}, {"repeat": 2}, {"direction": "rising"}, {"stop": True, "says": "the end"}]))
    model["schedules"]["s"].update(rng.choice([{}, {"reset": {state: 0}}]))
    return model


def make_good(model, rng):
    """Another model that is as good: values, units, reasons."""
    for name, value in list(model.get("parameters", {}).items()):
        if isinstance(value, (int, float)) and rng.random() < 0.5:
            model["parameters"][name] = {"value": value, "says": "as it was"}
    if rng.random() < 0.3:
        model["tables"] = {"road": {"file": "road.csv", "x": "t", "between": rng.choice(["linear", "cubic"])}}
        model["tables"]["road"].update(rng.choice([{}, {"y": "h"}, {"outside": "clamp"}, {"says": "a road"}]))
    if rng.random() < 0.3:
        model["seed"] = rng.randrange(-9, 9)
        more = rng.choice(["uniform(1)*t", {"value": "2*t", "unit": "N"}])
        model.setdefault("expressions", {})["load_1"] = more
    for system in model["systems"].values():
        starts = [key for key in ("q0", "v0", "x0") if key in system and len(set(map(str, system[key]))) == 1]
        if starts and "repeat" not in system:
            key = rng.choice(starts)
            system[key] = {"repeat": rng.choice([len(system[key]), f"0 + {len(system[key])}"]), "value": system[key][0]}
    laws = [j["law"]["kind"] for j in model["interactions"].values() if isinstance(j["law"], dict)]
    if rng.random() < 0.3 and not {"user", "cohesive"} & set(laws):  # which events do not take
        return by_events(model, rng)
    run = model["simulation"]
    run.update(rng.sample([("newton_max", rng.randint(1, 90)), ("gap_tol", rng.choice([0, 1e-9])), ("t0", 0),
                           ("equality_tol", rng.random()), ("on_failure", rng.choice(["stop", "retry", "accept"])),
                           ("switchable", rng.random() < 0.5), ("accept_tol", rng.random()),
                           ("max_halvings", rng.randint(0, 20))], 3))
    return model


def make_bad(model, schema, rng):
    """A model with one thing wrong that a schema can see."""
    if rng.random() < 0.1:
        model["tables"] = {"road": rng.choice([{}, {"file": 1}, {"file": "road.csv", "between": "spline"},
                                               {"file": "road.csv", "outside": None}, {"file": "road.csv", "z": "t"}])}
        return model
    if rng.random() < 0.1:
        model.update(rng.choice([{"seed": 0.5}, {"seed": "1"}, {"seed": 2**54}, {"expressions": {"a": 1}},
                                 {"expressions": ["t"]}, {"expressions": {"a": {"says": "t"}}}]))
        system = rng.choice(list(model["systems"].values()))
        if rng.random() < 0.5:
            system["theta"] = {"repeat": 2, "value": 1}
        return model
    if rng.random() < 0.3:
        model = by_events(model, rng)
        g, s = model["guards"]["g"], model["schedules"]["s"]
        how = rng.randrange(8)
        if how < 4:
            g.update([{"direction": "up"}, {"stop": 1}, {"value": [1]}, {"reset": ["t"]}][how])
        elif how < 7:
            s.update([{"times": [1], "first": 1}, {"period": -1}, {"value": "t"}][how - 4])
        else:
            del model["events"]
            model["simulation"] = {"h": 0.1, "until": 1}
        return model
    table, keys = rng.choice(list(tables_of(model, schema)))
    name = rng.choice([k for k in table if k != "kind"] or ["kind"])
    how = rng.randrange(5)
    if how == 0:
        table["no_such_key"] = 1
    elif how == 1:
        table[name + "_"] = table.pop(name)
    elif how == 2:
        table[name] = None
    elif how == 3:
        model["simulation"][rng.choice(["h", "newton_max", "newton_tol"])] = rng.choice([0, -1, True, [1]])
    else:
        model["simulation"]["on_failure"] = rng.choice(["", "Stop", 1, None])
    return model


def by_ajv(schema, models):
    """Whether ajv accepts each of the models, and the schema as one of draft-07; None: it is not there."""
    program = """const { schema, models } = JSON.parse(require("fs").readFileSync(0));
                 let Ajv; try { Ajv = require("ajv"); } catch (e) { process.exit(3); }
                 const accepts = new Ajv().compile(schema);
                 console.log(JSON.stringify(models.map(m => accepts(m))));"""
    if shutil.which("node") is None:
        return None
    # Debian has its modules there, and perhaps a node from elsewhere.
    done = subprocess.run(["node", "-e", program], input=json.dumps({"schema": schema, "models": models}),
                          capture_output=True, text=True, timeout=300, env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout) if done.returncode == 0 else None


def check_schema(perp, schema):
    try:
        import tomllib
    except ImportError as missing:
        return [], f"schema not compared: {missing}"
    if by_ajv(schema, []) is None:
        assert os.environ.get("PERP_AJV") != "required", "neither node nor ajv"
        return [], "schema not compared: no node with ajv"
    models = [tomllib.loads(p.read_text()) for p in sorted((ROOT / "examples/models").glob("*.toml"))]
    models = [m for m in models if "simulation" in m and "pool" not in m]  # whose contacts a plug-in finds
    wrong, rng = [], random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "road.csv").write_text("t,h\n0,1\n1,3\n2,2\n")
        made = [make_good(copy.deepcopy(rng.choice(models)), rng) for _ in range(200)]
        made += [make_bad(copy.deepcopy(rng.choice(models)), schema, rng) for _ in range(200)]
        said = zip(made, by_ajv(schema, made), refusals(perp, made, folder))
        for k, (model, by_schema, by_reader) in enumerate(said):
            good = k < 200
            if by_schema != good or (by_reader == "") != good:
                wrong.append(f"model {k}, {'good' if good else 'bad'}: schema {by_schema}, reader {by_reader!r}: "
                             f"{json.dumps(model)[:1500]}")
    return wrong, "200 good, 200 bad models"


def main():
    perp = str(pathlib.Path(sys.argv[1]).resolve())
    schema = json.loads(subprocess.run([perp, "schema"], capture_output=True, text=True, check=True).stdout)
    wrong = check_fields(schema)
    more, said = check_schema(perp, schema)
    print("\n".join(wrong + more) or "every field is reached or has a reason")
    print(said)
    page = subprocess.run([perp, "schema", "--page"], capture_output=True, text=True, check=True).stdout
    if (ROOT / "docs/generated/model-files.md").read_text() != page:
        print("docs/generated/model-files.md is not what `perp schema --page` writes")
        return 1
    return 1 if wrong or more else 0


if __name__ == "__main__":
    sys.exit(main())
