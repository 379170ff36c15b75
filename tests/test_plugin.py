#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions of model files that are not expressions: test_plugin.py PERP CC INCLUDE CXX LIBRARY [TEST...].

Compiled expressions, plug-ins, functions of Siconos' types and of Python: each is run beside the
same model as expressions, and the logs are compared byte by byte. Plug-ins are built here by CC."""
import copy
import importlib.util
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import read_log
from test_tool import log_of

PERP = CC = INCLUDE = CXX = LIBRARY = ""
ROOT = pathlib.Path(__file__).resolve().parent.parent

# A spring and a damper, nonlinear, with a force of time, against a stop.
MODEL = {
    "parameters": {"k": 40.0, "c": 0.3},
    "systems": {"mass": {
        "kind": "lagrangian", "n": 1, "M": [2.0], "q0": [0.5], "v0": [0.1], "z": ["k", "c"],
        "internal": ["z[0]*q[0] + 3*(q[0]*(q[0]*q[0])) + z[1]*v[0]*abs(v[0])"], "external": ["sin(3*t)"]}},
    "interactions": {"stop": {
        "systems": "mass", "law": {"kind": "newton_impact", "e": 0.6},
        "relation": {"kind": "lagrangian_scleronomous", "h": ["q[0] + 0.2 + 0.1*q[0]^2"]}}},
    "simulation": {"h": 0.001, "until": 2.0}}

# What no example has: bodies, controls, order 1 with lambda, a contact, an index, time.
MORE = {
    "parameters": {"a": 0.7},
    "systems": {
        "spin": {"kind": "newton_euler", "mass": 2.0, "q0": [0, 0, 3, 0.6, 0.8, 0, 0], "v0": [0, 1, 0, 1, 2, 3],
                 "force": ["-q[0] - 0.1*v[0]*v[1]", "sin(t)*q[4]", "-19.62 - q[5]^2"],
                 "torque": ["a*q[4]*q[5]", "-v[4]", "cos(q[6])"]},
        "cart": {"kind": "lagrangian", "repeat": 3, "M": [1.5, 2.5], "q0": ["0.1*i", 0.2],
                 "mass": [["2 + 0.3*sin(q[0])", "0.1*i"], ["0.1*i", 3.0]],
                 "gyroscopic": ["v[0]*v[1]*cos(q[0])", "0.2*v[0]^2"], "external": ["sin(t) + i", "exp(-t)"],
                 "control": {"T": [[1.0], [0.5]], "u": ["-a*tanh(q[0]) - v[1] + t"]}},
        "tank": {"kind": "first_order", "x0": [1.0, -0.3], "f": ["x[1] - t", "-sin(x[0]) - a*x[1]"]}},
    "interactions": {
        "floor": {"systems": "spin", "law": {"kind": "newton_impact", "e": 0.3},
                  "relation": {"kind": "lagrangian_scleronomous", "h": ["q[2] + 0.1*q[4]^2 - 1"]}},
        "slide": {"systems": ["cart[0]"], "law": {"kind": "friction", "size": 2, "mu": 0.4},
                  "relation": {"kind": "lagrangian_contact", "h": ["q[1] + 0.3*sin(t) - 0.19"],
                               "T": [["1 + q[0]^2", "0.2"]], "s": ["cos(t)"]}},
        "valve": {"systems": "tank", "law": {"kind": "complementarity"},
                  "relation": {"kind": "first_order", "h": ["x[0] + 0.5*lambda[0] + t"],
                               "g": ["lambda[0]", "0.1*lambda[0]*x[0]"]}}},
    "simulation": {"h": 0.01, "until": 1.0}}
del MORE["systems"]["cart"]["M"]
MORE["systems"]["cart"]["n"] = 2

C = """
#include <math.h>
#include <stdlib.h>
#include "perp/plugin.h"
%s
int32_t force(double t, const double *q, const double *v, const double *z, double *out, void *user) {
  return (void)t, (void)user, out[0] = z[0] * q[0] + 3 * (q[0] * (q[0] * q[0])) + z[1] * v[0] * fabs(v[0]), 0;
}
int32_t push(double t, const double *q, const double *v, const double *z, double *out, void *user) {
  return (void)q, (void)v, (void)z, out[0] = sin(3 * t) + 0 * *(const double *)user, 0;
}
int32_t no(double t, const double *q, const double *v, const double *z, double *out, void *user) {
  return (void)t, (void)q, (void)v, (void)z, (void)out, (void)user, -1;
}
"""
# A force that depends on how many times it has been asked for, which the plug-in remembers.
COUNTS = """
#include <string.h>
#include "perp/plugin.h"
static double asked[2];
int32_t perp_plugin_version(void) { return PERP_PLUGIN_VERSION; }
%s
int32_t push(double t, const double *q, const double *v, const double *z, double *out, void *user) {
  if (t != asked[1]) asked[0]++, asked[1] = t;
  return (void)q, (void)v, (void)z, (void)user, out[0] = 1e-3 * asked[0] - 1, 0;
}
"""
SAVED = """
size_t perp_plugin_save(void *bytes, size_t room) {
  if (room >= sizeof asked) memcpy(bytes, asked, sizeof asked);
  return sizeof asked;
}
int32_t perp_plugin_restore(const void *bytes, size_t n) {
  if (n != sizeof asked) return -1;
  memcpy(asked, bytes, sizeof asked);
  return 0;
}
"""
LOUD = """
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "perp/plugin.h"
static double asked;
int32_t perp_plugin_version(void) { return PERP_PLUGIN_VERSION; }
size_t perp_plugin_save(void *bytes, size_t room) {
#ifdef SIGNAL
  if (asked > 1.99) raise(SIGINT);
#endif
  return (void)bytes, (void)room, 0;
}
int32_t perp_plugin_restore(const void *bytes, size_t n) {
  if (getenv("WAIT") != NULL) (void)getchar();
  return (void)bytes, n == 0 ? 0 : -1;
}
#ifdef LOCALE
__attribute__((constructor)) static void german(void) {
  if (setlocale(LC_ALL, "de_TEST") == NULL) fprintf(stderr, "no such locale");
}
#endif
int32_t push(double t, const double *q, const double *v, const double *z, double *out, void *user) {
  if (t > 0.1) (void)printf("output\\n"), (void)fflush(stdout);
  (void)fprintf(stderr, "%s", t < -1 ? "errors\\n" : "");
  return (void)q, (void)v, (void)z, (void)user, out[0] = asked = t, 0;
}
"""
# Laws of one's own as expressions and as functions of a plug-in, of Python: a brake whose force wears off with the
# way that it has slid (its state), over a floor that gives back a part of the speed and is soft.
LAWS = {
    "parameters": {"F": 6.0, "dt": 0.001, "e": 0.5},
    "systems": {"plate": {"kind": "lagrangian_linear", "M": [2, 2], "v0": [4, 3]},
                "ball": {"kind": "lagrangian_linear", "repeat": 2, "M": [1], "f": [-9.81], "q0": ["0.1 + 0.1*i"]}},
    "interactions": {
        "brake": {"systems": "plate", "relation": {"kind": "lagrangian_linear", "H": [[1, 0], [0, 1]]}, "law": {
            "kind": "user", "size": 2, "bounded": True, "state": [1.0, 0], "z": ["F*dt"],
            "project": ["min(1, z[0]*s[0]/hypot(x[0], x[1]))*x[0]", "min(1, F*dt*s[0]/hypot(x[0], x[1]))*x[1]"],
            "commit_step": ["s[0]/(1 + h*hypot(ydot[0], ydot[1]))", "t"]}},
        "floor": {"repeat": 2, "systems": "ball[i]", "relation": {"kind": "lagrangian_linear", "H": [[1]]}, "law": {
            "kind": "user", "set": "orthant", "unilateral": True, "state": [0.0], "z": ["e"],
            "restitute_step": ["(e + 0.1*i)*ydot[0]"], "preload": ["0*lambda[0] - 0*y[0]"], "compliance": [["0.1*h"]],
            "shift": ["y[0]"], "acts": ["s[0] < 0"], "commit_step": ["s[0] + lambda[0]"]}}},
    "simulation": {"h": "dt", "until": 1.0}}
C_LAWS = """
#include <math.h>
#include "perp/plugin.h"
PERP_PLUGIN_STATELESS
static const double *z_of(const perp_law *law) { return ((const perp_plugin_law *)(const void *)law)->z; }
void disc(const perp_law *law, const void *state, const double *x, double *p) {
  const double a = z_of(law)[0] * ((const double *)state)[0] / hypot(x[0], x[1]), part = a < 1 ? a : 1;
  p[0] = part * x[0], p[1] = part * x[1];
}
void wear(const perp_law *law, void *state, const perp_law_step *step) {
  double *const s = (double *)state;
  (void)law, s[0] = s[0] / (1 + step->h * hypot(step->ydot[0], step->ydot[1])), s[1] = step->t;
}
int32_t bounce(const perp_law *law, const void *state, const perp_law_step *step, double *q) {
  const double i = ((const perp_plugin_law *)(const void *)law)->index;
  return (void)state, q[0] += (z_of(law)[0] + 0.1 * i) * step->ydot[0], 0;
}
void soft(const perp_law *law, double h, double *D) { (void)law, D[0] = 0.1 * h; }
"""
PYTHON_LAWS = """
import math
import numpy as np
def disc(x, s, z):
    return min(1.0, z[0] * s[0] / math.hypot(x[0], x[1])) * x
def wear(t, h, y, ydot, lam, s, z):
    return [s[0] / (1 + h * math.hypot(ydot[0], ydot[1])), t]
def soft(h, z):
    return [[0.1 * h]]
def perp_plugin_save(): return b""
def perp_plugin_restore(data): pass
"""
# Spheres over a floor: z has their number and radius. The plug-in runs the same model as a program, too.
SPHERES = {
    "parameters": {"r": 0.1, "count": 3},
    "systems": {"ball": {"kind": "newton_euler", "repeat": "count", "mass": 2.0,
                         "inertia": [[0.008, 0, 0], [0, 0.008, 0], [0, 0, 0.008]], "f": [0, 0, -19.62], "q0": ["0.03*i", "0.01*i", "0.12 + 0.25*i", 1, 0, 0, 0],
                         "v0": [0.5, 0, 0, 0, 0, 0]}},
    "laws": {"rough": {"kind": "friction", "mu": 0.4}},
    "pool": {"capacity": 20, "laws": ["rough"], "find": "plugin:spheres.so:find", "z": ["count", "r"]},
    "simulation": {"h": 0.002, "until": 1.0}}
C_SPHERES = """
#include <math.h>
#include <stdio.h>
#include "perp/perp.h"
#include "perp/plugin.h"
PERP_PLUGIN_STATELESS
int32_t find(double t, const perp_simulation *sim, perp_pool_writer *out, void *user) {
  const double *const z = user, r = z[1];
  for (int32_t i = 0; i < (int32_t)z[0]; i++) {
    const double *const q = perp_simulation_q(sim, i);
    perp_pool_contact c = {{i, PERP_GROUND}, 0, 0, {0, 0}, {q[2] - r, {0, 0, 1}, {0}, {q[0], q[1], q[2] - r}, {0}, {0}}};
    if (c.place.gap < 0.01) (void)perp_pool_add(out, &c, NULL);
    for (int32_t j = 0; j < i; j++) {
      const double *const p = perp_simulation_q(sim, j);
      const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      c = (perp_pool_contact){{i, j}, 0, 0, {0, 0}, {l - 2 * r, {0}, {0}, {0}, {0}, {0}}};
      for (int k = 0; k < 3; k++)
        c.place.normal[k] = d[k] / l, c.place.a[k] = q[k] - r * (d[k] / l), c.place.b[k] = p[k] + r * (d[k] / l);
      if (c.place.gap < 0.01) (void)perp_pool_add(out, &c, NULL);
    }
  }
  return (void)t, 0;
}
int32_t wrong(double t, const perp_simulation *sim, perp_pool_writer *out, void *user) {
  const perp_pool_contact c = {{1, 2}, 0, 0, {0, 0}, {0, {0, 0, 0.5}, {0}, {0}, {0}, {0}}};
  return (void)sim, (void)user, t > 0.5 ? (void)perp_pool_add(out, &c, NULL) : (void)0, 0;
}
"""
# What C++ makes of the same: positions of each step.
PROGRAM = """
#include <cmath>
#include <cstdio>
#include <perp/perp.hpp>
#include <vector>
int main() {
  perp::model m;
  std::vector<perp::system_id> id;
  for (int i = 0; i < 3; i++) {
    perp::body b;
    b.mass = 2, b.inertia = {0.008, 0.008, 0.008}, b.f = {0, 0, -19.62};
    id.push_back(m.add(b, {0.03 * i, 0.01 * i, 0.12 + 0.25 * i, 1, 0, 0, 0}, {0.5, 0, 0, 0, 0, 0}));
  }
  m.pool(perp::contact_pool(20, perp::friction_3d(0.4), [&](perp::contact_search &s) {
    const double r = 0.1;
    for (std::size_t i = 0; i < 3; i++) {
      const perp::view q = s.q(id[i]);
      perp::contact_place c{};
      c.gap = q[2] - r, c.normal[2] = 1, c.a[0] = q[0], c.a[1] = q[1], c.a[2] = q[2] - r;
      if (c.gap < 0.01) s.add(id[i], perp::ground, c, 0, 0);
      for (std::size_t j = 0; j < i; j++) {
        const perp::view p = s.q(id[j]);
        const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        const double l = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        c = {}, c.gap = l - 2 * r;
        for (int k = 0; k < 3; k++)
          c.normal[k] = d[k] / l, c.a[k] = q[k] - r * (d[k] / l), c.b[k] = p[k] + r * (d[k] / l);
        if (c.gap < 0.01) s.add(id[i], id[j], c, 0, 0);
      }
    }
  }));
  perp::simulation_options o;
  o.h = 0.002, o.steps = 500;
  perp::simulation sim(m, o);
  for (const auto &s : sim.steps())
    for (const auto each : id)
      for (const double x : s.q(each)) std::printf("%a ", x);
  return 0;
}
"""
PYTHON_SPHERES = """
import math
def find(at):
    r = at.z[1]
    q = [at.q(name) for name in at.names]
    for i, a in enumerate(at.names):
        gap = q[i][2] - r
        if gap < 0.01:
            at.add(a, None, gap=gap, normal=(0, 0, 1), at=(q[i][0], q[i][1], q[i][2] - r))
        for j, b in enumerate(at.names[:i]):
            d = q[i][:3] - q[j][:3]
            l = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            if l - 2 * r < 0.01:
                n = d / l
                at.add(a, b, gap=l - 2 * r, normal=n, at=q[i][:3] - r * n, at_b=q[j][:3] + r * n)
def bad(at):
    at.add("ball[3]", None, gap=0, normal=(0, 0, 1), at=(0, 0, 0))
def perp_plugin_save(): return b""
def perp_plugin_restore(data): pass
"""
# As Siconos has them; nothing of perp is included.
SICONOS = """
#include <math.h>
typedef unsigned int U;
void FInt(double t, U n, const double *q, const double *v, double *f, U size, double *z) {
  for (U i = 0; i < n; i++) f[i] = z[0] * q[i] + 3 * (q[i] * (q[i] * q[i])) + z[size - 1] * v[i] * fabs(v[i]);
  (void)t, z[0] = 1e9;
}
void FExt(double t, U n, double *f, U size, double *z) {
  for (U i = 0; i < n; i++) f[i] = sin(3 * t);
  (void)size, (void)z;
}
void gap(U n, const double *q, U m, double *y, U size, double *z) {
  if (n == 1 && m == 1 && size == 0) y[0] = q[0] + 0.2 + 0.1 * (q[0] * q[0]);
  (void)z;
}
"""
PYTHON = """
import math
import numpy as np
def force(t, q, v, z):
    return [z[0] * q[0] + 3 * (q[0] * (q[0] * q[0])) + z[1] * v[0] * abs(v[0])]
def push(t, z):
    return math.sin(3 * t)
def gap(q):
    return q + 0.2 + 0.1 * (q * q)
def bad(t, z):
    return [1.0] if t < 0.5 else [1.0, 2.0]
def wrong(t, z):
    raise ValueError("no force at all")
def writes(t, z):
    z[0] = 3
def effect(q):
    return [[1 + q[0], 0.3], [0.1 * q[1], 2.0]]
def turn(t, q, v):
    return -v[3:6]
def nothing(t, z):
    pass
def deep(t, z):
    return np.linalg.solve(np.zeros((2, 3)), z)
number = 3
def turn_jacobian(t, q, v):
    return np.zeros((3, 6)), np.hstack([np.zeros((3, 3)), -np.eye(3)])
"""
REMEMBERS = """
asked = [0, 0.0]
def push(t, z):
    if t != asked[1]:
        asked[:] = [asked[0] + 1, t]
    return 1e-3 * asked[0] - 1
def perp_plugin_save():
    return repr(asked).encode()
def perp_plugin_restore(data):
    asked[:] = eval(data)
"""


class Plugins(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        pathlib.Path(self.path(name)).write_text(text if isinstance(text, str) else json.dumps(text))

    def perp(self, *arguments):
        return subprocess.run([PERP, *arguments], capture_output=True, text=True, timeout=300, cwd=self.folder.name)

    def build(self, name, text, *flags):
        self.write(name + ".c", text)
        subprocess.run([CC, "-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                        "-I", INCLUDE, *flags, name + ".c", "-o", name + ".so", "-lm"], check=True,
                       cwd=self.folder.name)

    def samples(self, model, *arguments, says=""):
        """Samples of a run of a model."""
        self.write("m.json", model)
        done = self.perp("run", "m.json", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, says))
        return log_of(self.path("m.log"))[0]

    def refused(self, model, *arguments, code=2):
        self.write("m.json", model)
        done = self.perp("run", "m.json", *arguments)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (code, "", 1), done.stderr)
        return done.stderr

    def with_force(self, **keys):
        model = copy.deepcopy(MODEL)
        model["systems"]["mass"].update(keys)
        return model

    def compiled(self, model):
        """The model with the functions of its compiled expressions in place of them."""
        self.write("e.json", model)
        done = self.perp("compile", "e.json", "-o", "e.c")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        text = pathlib.Path(self.path("e.c")).read_text()
        self.build("e", text)
        model = copy.deepcopy(model)
        functions = re.findall(r"/\* perp_\w+: (\w+) of (.+) \*/\n(?:int32_t|void) (\w+)\(", text)
        for field, of, name in functions:
            group, owner, *part = of.split(".")
            table = model[group][owner]
            if group == "interactions" and part != ["law"]:
                table = table["relation"]
            for each in part:
                table = table[each]
            if group == "systems" and not part and field in ("internal", "external", "gyroscopic", "force", "f") \
                    and table["kind"] != "newton_euler":
                table.setdefault("n", len(table[field]))
            if part == ["law"] and field == "project":
                table.setdefault("size", len(table[field]))
            if group == "interactions" and field in ("h", "C", "D", "e") and field in table:
                table.setdefault("m", len(table[field]))
            table[field] = "plugin:e.so:" + name
        self.assertGreater(len(functions), 0)
        return model, len(functions)

    def test_compiled_expressions_have_the_bits_of_the_run(self):
        for model, least in ((MODEL, 6), (MORE, 26), (LAWS, 9)):
            expressions = self.samples(model)
            model, count = self.compiled(model)
            self.assertGreaterEqual(count, least)
            self.assertEqual(self.samples(model, "--plugins"), expressions)

    def test_compiled_examples_have_the_bits_of_the_run(self):
        if importlib.util.find_spec("tomllib") is None:
            self.skipTest("no tomllib")
        import tomllib
        tried = 0
        for file in sorted((ROOT / "examples/models").glob("*.toml")):
            model = tomllib.loads(file.read_text())
            if "simulation" not in model or {"pool", "schedules"} & set(model):  # what resets is compiled for programs
                continue
            model["simulation"].update({k: v for k, v in {"until": 0.05}.items() if k in model["simulation"]})
            self.write("e.json", model)
            if "no expression" in self.perp("compile", "e.json").stderr:
                continue
            tried += 1
            with self.subTest(file.name):
                expressions = self.samples(model)
                self.assertEqual(self.samples(self.compiled(model)[0], "--plugins"), expressions)
        self.assertGreater(tried, 1)

    def test_plugins_have_the_bits_of_the_same_expressions(self):
        self.build("own", C % "PERP_PLUGIN_STATELESS")
        pushed = self.with_force(external="plugin:own.so:push")
        self.assertEqual(self.samples(pushed, "--plugins"), self.samples(MODEL))
        # Without a derivative it is taken by differences; with theta 0 none enters.
        same = self.with_force(internal="plugin:own:force", external="plugin:own.so:push")
        explicit = {"simulation": dict(MODEL["simulation"], theta=0.0)}
        self.assertEqual(self.samples({**same, **explicit}, "--plugins"), self.samples({**MODEL, **explicit}))
        self.write("m.json", self.with_force(internal="plugin:own:no"))
        done = self.perp("run", "m.json", "--plugins")
        self.assertEqual(done.returncode, 1)
        self.assertIn("m.json: failed in step 1", done.stderr)

    def test_laws_of_plugins_have_the_bits_of_expressions(self):
        self.build("laws", C_LAWS)
        expressions = self.samples(LAWS)
        model = copy.deepcopy(LAWS)
        brake, floor = (model["interactions"][name]["law"] for name in ("brake", "floor"))
        brake.update(project="plugin:laws.so:disc", commit_step="plugin:laws.so:wear")
        floor.update(restitute_step="plugin:laws.so:bounce", compliance="plugin:laws.so:soft")
        samples = self.samples(model, "--plugins")
        # Without a derivative of the projection another method solves the brake: to its tolerance.
        for one, other in zip(samples, expressions, strict=True):
            for (a,), (b,) in zip(struct.iter_unpack("<d", one), struct.iter_unpack("<d", other), strict=True):
                self.assertAlmostEqual(a, b, delta=1e-8)
        self.assertEqual(self.perp("run", "m.json", "--plugins", "--until", "0.4").returncode, 0)
        done = self.perp("run", "--resume", "m.log", "m.json", "--plugins")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(log_of(self.path("m.log"))[0], samples)
        if shutil.which("python3") is not None:
            self.python()
            self.write("brake.py", PYTHON_LAWS)
            brake.update(project="py:brake.disc", commit_step="py:brake.wear")
            floor.update(compliance="py:brake.soft")
            self.assertEqual(self.samples(model, "--plugins"), samples)
            floor.update(restitute_step="py:brake.none", size=1)
            self.assertIn("interactions.floor.law.restitute_step: found `py:brake.none`, but it cannot be called: "
                          "AttributeError", self.refused(model, "--plugins"))

    def test_laws_that_cannot_be_are_told_in_a_sentence(self):
        for change, says in (({"project": None}, "brake: found an interaction that cannot be: project"),
                             ({"project": ["x[0]", "y[1]"]}, "brake.law.project[1]: found `y`, not a name here"),
                             ({"set": "cone"}, "brake.law.set: found `cone`, not a value of `set`"),
                             ({"state": None}, "brake.law.commit_step: found `commit_step` without `state`"),
                             ({"size": 0}, "brake.law.size: found `size` = 0, must be >= 1 and <= 1000"),
                             ({"lower": [0, 1]}, ""), ({"projct": ["1"]}, "did you mean `project`?")):
            model = copy.deepcopy(LAWS)
            law = model["interactions"]["brake"]["law"]
            law.update(change)
            for key in [k for k in law if law[k] is None]:
                del law[key]
            with self.subTest(str(change)):
                if says:
                    self.assertIn(says, self.perp("check", self.wrote(model)).stderr)
        model = copy.deepcopy(LAWS)
        model["parameters"]["s"] = 1.0
        self.assertIn("found parameter `s`, which means something else in these expressions",
                      self.perp("check", self.wrote(model)).stderr)

    def wrote(self, model):
        self.write("m.json", model)
        return "m.json"

    def positions(self, samples):
        return [x for sample in samples[1:] for x in struct.unpack_from("<21d", sample, 8)]

    def test_contacts_of_a_pool_have_the_bits_of_the_program(self):
        self.build("spheres", C_SPHERES)
        whole = self.samples(SPHERES, "--plugins")
        self.assertEqual(len(whole), 501)
        self.assertEqual(self.perp("run", "m.json", "--plugins", "--until", "0.5").returncode, 0)
        done = self.perp("run", "--resume", "m.log", "m.json", "--plugins")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(log_of(self.path("m.log"))[0], whole)
        if not LIBRARY:
            self.skipTest("no shared library to link the program with")
        self.write("program.cpp", PROGRAM)
        subprocess.run([CXX, "-std=c++17", "-DPERP_FULL", "-O1", "-ffp-contract=off", "-I", INCLUDE, "-I",
                        ROOT / "cpp", "program.cpp", "-o", "program", LIBRARY, "-Wl,-rpath," + os.path.dirname(LIBRARY)], check=True,
                       cwd=self.folder.name)
        told = subprocess.run([self.path("program")], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(self.positions(whole), [float.fromhex(x) for x in told])

    def test_forces_of_contacts_in_a_log_are_what_changes_momentum(self):
        self.build("spheres", C_SPHERES)
        samples = [struct.unpack("<51d", each) for each in self.samples(SPHERES, "--plugins")]
        most, deepest = 0, 0
        for before, after in zip(samples, samples[1:]):
            v, w, force = before[22:40], after[22:40], after[40:49]
            for ball in range(3):
                for k in range(3):
                    a = (w[6 * ball + k] - v[6 * ball + k]) / 0.002
                    pull = -19.62 if k == 2 else 0
                    self.assertAlmostEqual(2.0 * a, pull + force[3 * ball + k], delta=1e-8)
            contacts, overlap = after[49:]
            self.assertEqual(contacts == 0, not any(force))
            most, deepest = max(most, contacts), max(deepest, overlap)
        self.assertIn(most, (3, 4, 5))
        self.assertTrue(0 < deepest < 0.01)
        self.assertEqual(samples[0][40:], (0,) * 11)
        text = self.perp("info", "m.log").stdout
        for name in ("ball.contact", "pool.contacts", "pool.overlap"):
            self.assertIn(name, text)

    def contacts(self, name):
        """The lists of contacts of a log, with the time and number of the sample before each, from its bytes."""
        lists, samples = [], 0
        with open(self.path(name), "rb") as file:
            for kind, records, b in read_log.blocks(file.read()):
                samples += records if kind == 2 else 0
                for _ in range(records if kind == 7 else 0):
                    t, n, _ = b.take("dII")
                    lists.append((samples - 1, t, [b.take("iiIIii15d") for _ in range(n)]))
        return lists

    def test_each_contact_of_a_log_is_what_changes_momentum(self):
        self.build("spheres", C_SPHERES)
        totals = self.samples(SPHERES, "--plugins")
        self.assertEqual(self.contacts("m.log"), [])
        self.assertEqual(self.samples(SPHERES, "--plugins", "--contacts"), totals)
        lists = self.contacts("m.log")
        self.assertEqual([k for k, _, _ in lists], list(range(len(totals))))
        acted = 0
        for (_, t, contacts), sample in zip(lists, totals):
            values = struct.unpack("<51d", sample)
            at, force = values[1:22], values[40:49]
            self.assertEqual((t, len(contacts)), (values[0], values[49]))
            sums = [0.0] * 9
            for a, b, _, _, law, rows, gap, *more in contacts:
                self.assertEqual((law, rows, more[-2:]), (0, 3, [0, 0]))
                point, n, t1, push = (more[k:k + 3] for k in (0, 3, 6, 9))
                t2 = [n[1] * t1[2] - n[2] * t1[1], n[2] * t1[0] - n[0] * t1[2], n[0] * t1[1] - n[1] * t1[0]]
                for k in range(3):
                    f = (n[k] * push[0] + t1[k] * push[1] + t2[k] * push[2]) / 0.002
                    sums[3 * a + k] += f
                    if b >= 0:
                        sums[3 * b + k] -= f
                for axis in (n, t1):
                    self.assertAlmostEqual(math.hypot(*axis), 1, delta=1e-12)
                self.assertLess(math.hypot(push[1], push[2]), push[0] + 1e-9)  # friction of less than 1
                self.assertAlmostEqual(math.dist(point, at[7 * a:7 * a + 3]), 0.1, delta=0.011)
            for had, told in zip(sums, force):
                self.assertAlmostEqual(had, told, delta=1e-9 * (1 + max(map(abs, force))))
            acted += len(contacts)
        self.assertGreater(acted, 200)
        self.assertIn("contact_lists       %d\n" % len(lists), self.perp("info", "m.log").stdout)
        self.assertEqual(self.samples(SPHERES, "--plugins", "--contacts", "--every", "7"), totals[::7])
        self.assertEqual([c for _, _, c in self.contacts("m.log")], [c for _, _, c in lists[::7]])
        self.assertIn("found --contacts, but m.json has no pool", self.refused(self.with_force(external=["-9.81"]), "--contacts"))

    def test_the_size_of_a_log_with_contacts_is_told_but_for_these(self):
        import pty
        self.build("spheres", C_SPHERES)
        self.write("m.json", SPHERES)
        for more, each in ((["--every", "3"], 144), (["--float32", "--every", "2"], 84)):
            ours, theirs = pty.openpty()
            subprocess.run([PERP, "run", "m.json", "--plugins", "--contacts", "--checkpoint", "0", *more], stdout=subprocess.DEVNULL,
                           stderr=theirs, check=True, timeout=300, cwd=self.folder.name)
            told = re.search(rb"a log of .* \((\d+) bytes\), contacts not in it, at most ([0-9.]+) (kB|MB)\r\n", os.read(ours, 10000))
            os.close(ours), os.close(theirs)
            with open(self.path("m.log"), "rb") as file:
                blocks = [(kind, len(b.data)) for kind, _, b in read_log.blocks(file.read())]
            lists = [n - 16 for kind, n in blocks if kind == 7]
            self.assertGreater(sum(lists), 1000 * each / 4)
            padded = lambda n: 32 + (n + 7) // 8 * 8
            rest = os.path.getsize(self.path("m.log")) - padded(blocks[-1][1]) - sum(padded(16 + n) - 48 for n in lists)
            self.assertEqual(int(told[1]), rest)
            most = float(told[2]) * {b"kB": 1e3, b"MB": 1e6}[told[3]]
            self.assertAlmostEqual(most, len(lists) * SPHERES["pool"]["capacity"] * each, delta=0.005 * most)

    def test_contacts_of_a_killed_run_go_on(self):
        self.build("spheres", C_SPHERES)
        self.samples(SPHERES, "--plugins", "--contacts")
        lists = self.contacts("m.log")
        with open(self.path("m.log"), "rb") as file:
            whole = file.read()
        self.assertEqual(self.perp("run", "m.json", "--plugins", "--contacts", "--until", "0.5").returncode, 0)
        with open(self.path("m.log"), "rb") as file:
            half = file.read()
        for cut in (0, 1, 1000):  # of the record of the end and what is before it, or behind all of it
            with open(self.path("m.log"), "wb") as file:
                file.write(half[:len(half) - cut] if cut else half + whole[:1000])
            if cut == 1000:  # the last checkpoint is lost, so that it goes on from the first
                self.assertLess(len(self.contacts("m.log")), 253)
            done = self.perp("run", "--resume", "m.log", "m.json", "--plugins")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.contacts("m.log"), lists)

    def test_contacts_are_exported(self):  # of other formats see test_results.py
        self.build("spheres", C_SPHERES)
        self.samples(SPHERES, "--plugins", "--contacts")
        lists = self.contacts("m.log")
        for every in (1, 3):
            kept = lists[::every]
            self.assertEqual(self.perp("export", "m.log", "-o", "m.csv", "--every", str(every)).returncode, 0)
            with open(self.path("m_contacts.csv")) as file:
                head, *rows = [line.split(",") for line in file.read().splitlines()]
            self.assertEqual((head[:4], len(head)), (["t", "sample", "first", "second"], 23))
            ball = lambda i: "" if i < 0 else f"ball[{i}]"
            self.assertEqual([[float(r[0]), int(r[1]), r[2], r[3], *map(float, r[4:])] for r in rows],
                             [[t, k, ball(a), ball(b), *rest] for k, (_, t, all_of_it) in enumerate(kept)
                              for a, b, *rest in all_of_it])

    def test_contacts_are_found_by_python_with_the_same_bits(self):
        self.python()
        self.build("spheres", C_SPHERES)
        model = copy.deepcopy(SPHERES)
        model["simulation"]["until"] = 0.4
        samples = self.samples(model, "--plugins")
        self.write("heap.py", PYTHON_SPHERES)
        model["pool"]["find"] = "py:heap.find"
        self.assertEqual(self.samples(model, "--plugins"), samples)
        model["pool"]["find"] = "py:heap.bad"
        self.assertIn("KeyError: 'ball[3]' (heap.py:", self.refused(model, "--plugins"))

    def test_spheres_of_the_example_touch_and_no_contact_is_missed(self):
        folder = ROOT / "examples/models"
        self.build("spheres", (folder / "spheres.c").read_text())
        shutil.copy(folder / "spheres.toml", self.folder.name)
        done = self.perp("run", "spheres.toml", "--plugins", "--every", "25", "--set", "count=60")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        n, r, wall = 60, 0.05, 0.25
        nearest, moving = 1.0, 0.0
        for sample in log_of(self.path("spheres.log"))[0]:
            state = struct.unpack_from(f"<{13 * n}d", sample, 8)
            at = [state[7 * k:7 * k + 3] for k in range(n)]
            nearest = min([nearest] + [math.dist(at[i], at[j]) - 2 * r for i in range(n) for j in range(i)] +
                          [gap for x, y, z in at for gap in (z - r, wall - r - abs(x), wall - r - abs(y))])
            moving = max(abs(v) for k in range(n) for v in state[7 * n + 6 * k:7 * n + 6 * k + 3])
        self.assertTrue(-r / 20 < nearest < 0, nearest)  # they touch, and pass through nothing
        self.assertLess(moving, 0.2)
        self.assertLess(max(z for _, _, z in at), 6.5 * r)  # nor are they held from afar

    def test_what_is_wrong_with_a_pool_is_told_in_a_sentence(self):
        self.build("spheres", C_SPHERES)
        for change, says in (({"find": "find"}, "pool.find: found `find`, expected a function of a plug-in"),
                             ({"find": "plugin:spheres.so:search"}, "pool.find: found `plugin:spheres.so:search`, but"),
                             ({"capacity": 0}, "pool.capacity: found `capacity` = 0, must be >= 1"),
                             ({"laws": ["smooth"]}, "pool.laws[0]: found `smooth`, not the name of a law"),
                             ({"laws": []}, "pool: found a pool that cannot be: pool.n_laws = 0: must be >= 1"),
                             ({"planar": True}, "pool.planar: found key `planar`, which `pool` has not")):
            model = copy.deepcopy(SPHERES)
            model["pool"].update(change)
            with self.subTest(str(change)):
                self.assertIn(says, self.perp("run", self.wrote(model), "--plugins").stderr)
        model = copy.deepcopy(SPHERES)
        model["pool"]["find"] = "plugin:spheres.so:wrong"
        error = self.refused(model, "--plugins", code=1)
        self.assertIn("m.json: failed in step 252 at t = 0.502: contact 0 of bodies ball[1] and ball[2]: normal of length", error)

    def test_nothing_is_opened_unless_it_is_allowed(self):
        mark = self.path("opened")
        self.build("own", (C % "PERP_PLUGIN_STATELESS") + "#include <stdio.h>\n__attribute__((constructor)) static "
                   "void loaded(void) { FILE *f = fopen(\"%s\", \"w\"); if (f != NULL) fclose(f); }" % mark)
        model = self.with_force(external="plugin:own.so:push")
        self.assertIn("m.json: systems.mass.external: found `plugin:own.so:push`, which is opened only with --plugins",
                      self.refused(model))
        for command in ("check", "describe", "compile"):
            self.assertEqual(self.perp(command, "m.json").returncode, 2)
        self.assertEqual(self.refused(model, "--plugin", "other.so"),
                         "perp: --plugin other.so: there is no such file\n")
        self.assertEqual(self.refused(MODEL, "--plugin", "other.py"),
                         "perp: --plugin other.py: there is no such file\n")
        self.write("other.so", "")
        self.assertIn("only with --plugins", self.refused(model, "--plugin", "other.so"))
        self.assertFalse(os.path.exists(mark))
        self.assertEqual(self.perp("check", "m.json", "--plugins").returncode, 0)
        self.assertTrue(os.path.exists(mark))
        os.mkdir(self.path("sub"))
        shutil.move(self.path("own.so"), self.path("sub"))
        self.assertEqual(len(self.samples(model, "--plugin", "sub/own.so")), 2001)
        self.assertEqual(len(self.samples(self.with_force(external="plugin:sub/own:push"), "--plugins")), 2001)

    def test_what_cannot_be_opened_is_told_in_a_sentence(self):
        self.build("own", C % "PERP_PLUGIN_STATELESS")
        self.build("old", C % "int32_t perp_plugin_version(void) { return 7; }")
        self.build("bare", C % "")
        self.write("text.so", "no library")
        os.mkdir(self.path("below"))
        shutil.copy(self.path("own.so"), self.path("below/own.so"))
        for text, says in (
                ("plugin:own.so:pull", "but `own.so` has no function `pull`"),
                ("plugin:old.so:push", "but `old.so` is of plug-in version 7, expected 1"),
                ("plugin:bare.so:push", "but `bare.so` has no `perp_plugin_version`, which each plug-in has"),
                ("plugin:text.so:push", "but it cannot be opened as a shared library: "),
                ("plugin:none.so:push", "but there is no file `none.so`"),
                ("plugin:below:push", "but there is no file `below`"),
                ("plugin:../own.so:push", "a path outside the folder of the model"),
                ("plugin:/lib/own.so:push", "a path outside the folder of the model"),
                ("plugin:own.so", "expected `plugin:LIBRARY:FUNCTION`"),
                ("plugin::push", "expected `plugin:LIBRARY:FUNCTION`"),
                ("py:push", "expected `py:MODULE.FUNCTION`"),
                ("siconos:none.so:push", "but there is no file `none.so`")):
            with self.subTest(text):
                self.assertIn("m.json: systems.mass.external: found `" + text + "`, " + says,
                              self.refused(self.with_force(external=text), "--plugins"))
        os.mkdir(self.path("inner"))
        os.symlink(self.path("own.so"), self.path("inner/link.so"))
        self.write("inner/m.json", self.with_force(external="plugin:link.so:push"))
        self.assertIn("a path outside the folder of the model", self.perp("run", "inner/m.json", "--plugins").stderr)
        self.assertIn("potential` of `lagrangian` has no type of Siconos",
                      self.refused(self.with_force(potential="siconos:own.so:push"), "--plugins"))
        self.assertIn("systems.mass.internal_dq: found `internal_dq`, which goes with a function of a plug-in as",
                      self.refused(self.with_force(internal_dq="plugin:own.so:push"), "--plugins"))
        self.assertIn("expected a function of a plug-in as `internal`",
                      self.refused(self.with_force(internal="plugin:own:force", internal_dq=["1"]), "--plugins"))
        self.assertFalse(os.path.exists(self.path("m.log")))

    def test_a_resumed_run_has_what_plugins_remember(self):
        self.build("counts", COUNTS % SAVED)
        model = self.with_force(external="plugin:counts.so:push")
        whole = self.samples(model, "--plugins")
        self.write("m.json", model)
        self.assertEqual(self.perp("run", "m.json", "--plugins", "--until", "0.7", "--checkpoint", "1e-9").returncode, 0)
        done = self.perp("run", "--resume", "m.log", "m.json", "--plugins")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(log_of(self.path("m.log"))[0], whole)
        self.build("counts", (COUNTS % SAVED).replace("1e-3", "2e-3"))
        done = self.perp("run", "--resume", "m.log", "m.json", "--plugins")
        self.assertEqual(done.returncode, 2)
        self.assertIn("`counts.so`, which m.json takes, has changed since", done.stderr)

    def test_whatever_a_plug_in_does_the_log_is_whole(self):
        """It prints where nobody listens, or output is closed; Ctrl-C comes while the end is written; it sets a locale."""
        self.build("loud", LOUD)
        model = self.with_force(external="plugin:loud.so:push")
        whole = self.samples(model, "--plugins")
        shell = PERP + " run m.json --plugins --log %s.log"
        for name, how in [("closed", " >&-"), ("deaf", " 2>&-"), ("mute", " <&- >&- 2>&-"), ("pipe", " | true")]:
            with self.subTest(name):
                subprocess.run(shell % name + how, shell=True, cwd=self.folder.name, capture_output=True, check=False)
                samples, ends = log_of(self.path(name + ".log"))
                self.assertEqual((samples, len(ends)), (whole, 1))
        self.build("loud", "#define SIGNAL\n" + LOUD)
        done = self.perp("run", "m.json", "--plugins")
        self.assertEqual((done.returncode, log_of(self.path("m.log"))[0], len(log_of(self.path("m.log"))[1])), (0, whole, 1))
        if subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.path("de_TEST")], capture_output=True,
                          check=False).returncode != 0:
            self.skipTest("no localedef that knows German")
        self.build("loud", "#define LOCALE\n" + LOUD)
        model["systems"]["more"] = {"kind": "lagrangian", "M": [1.0, 1.0], "external": ["sin(t)", 0.5], "q0": [0.5, 1.5]}
        self.write("m.json", model)
        sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # the C library's, of LOCPATH
        with unittest.mock.patch.dict(os.environ, {"LOCPATH": self.folder.name, "ASAN_OPTIONS": sanitizer}):
            done = self.perp("run", "m.json", "--plugins", "--until", "1.5")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("t = 1.5\n", done.stdout)
        self.assertAlmostEqual(struct.unpack_from("<4d", log_of(self.path("m.log"))[0][-1], 8)[3], 1.5 + 0.25 * 1.5 ** 2, 2)

    def test_a_log_that_another_run_goes_on_with_meanwhile(self):
        """The slower one, which has read an older checkpoint, is refused; the log stays one that can be gone on with."""
        self.build("loud", LOUD)
        model = self.with_force(external="plugin:loud.so:push")
        stepping = dict(model, simulation={"h": 0.001, "until": 0.5})
        events = {k: v for k, v in model.items() if k != "simulation"}
        for each in (stepping, dict(events, events={"until": 0.5, "every": 0.1})):
            self.write("m.json", each)
            self.assertEqual(self.perp("run", "m.json", "--plugins", "--checkpoint", "0.25").returncode, 0)
            with subprocess.Popen([PERP, "run", "m.json", "--plugins", "--resume", "m.log", "--until", "1"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=dict(os.environ, WAIT="1"), cwd=self.folder.name) as slow:
                time.sleep(1)
                done = self.perp("run", "m.json", "--plugins", "--resume", "m.log", "--until", "0.8")
                before = log_of(self.path("m.log"))[0]
                out, err = slow.communicate("\n\n\n\n", timeout=60)
            self.assertEqual((done.returncode, slow.returncode), (0, 2), err)
            self.assertEqual(err, "perp: m.log: another run has gone on with it meanwhile\n")
            done = self.perp("run", "m.json", "--plugins", "--resume", "m.log", "--until", "0.8")
            self.assertEqual((done.returncode, log_of(self.path("m.log"))[0]), (0, before))

    def test_a_run_that_cannot_be_resumed_says_so_before(self):
        self.build("counts", COUNTS % "")
        model = self.with_force(external="plugin:counts.so:push")
        says = ("perp: m.json: `counts.so` has no perp_plugin_save and perp_plugin_restore: this run writes no "
                "checkpoints and cannot be resumed\n")
        self.samples(model, "--plugins", says=says)
        done = self.perp("run", "--resume", "m.log", "m.json", "--plugins")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("cannot be resumed", done.stderr)

    def test_functions_of_siconos_link_unchanged(self):
        self.build("theirs", SICONOS)
        explicit = {"simulation": dict(MODEL["simulation"], theta=0.0)}
        says = ("perp: m.json: `theirs.so` has no perp_plugin_save and perp_plugin_restore: this run writes no "
                "checkpoints and cannot be resumed\n")
        model = self.with_force(internal="siconos:theirs.so:FInt", external="siconos:theirs.so:FExt")
        self.assertEqual(self.samples({**model, **explicit}, "--plugins", says=says),
                         self.samples({**MODEL, **explicit}))
        model["interactions"]["stop"]["relation"]["h"] = "siconos:theirs.so:gap"
        self.assertEqual(len(self.samples(model, "--plugins", says=says)), 2001)

    def python(self):
        if shutil.which("python3") is None or subprocess.run(["python3", "-c", "import numpy"],
                                                             capture_output=True).returncode != 0:
            self.skipTest("no python3 with NumPy")
        kept = unittest.mock.patch.dict(os.environ, ASAN_OPTIONS="detect_leaks=0")  # an interpreter's, at exit
        kept.start()
        self.addCleanup(kept.stop)

    def test_functions_of_python_have_the_bits_of_expressions(self):
        self.python()
        self.write("own.py", PYTHON)
        says = ("perp: m.json: `own` has no perp_plugin_save and perp_plugin_restore: this run writes no checkpoints "
                "and cannot be resumed\n")
        explicit = {"simulation": dict(MODEL["simulation"], theta=0.0)}
        model = self.with_force(internal="py:own.force", external="py:own.push")
        expressions = self.samples({**MODEL, **explicit})
        self.assertEqual(self.samples({**model, **explicit}, "--plugins", says=says), expressions)
        self.assertEqual(self.samples({**model, **explicit}, "--plugin", "own.py", says=says), expressions)
        self.assertIn("which is imported only with --plugins", self.refused(model))

    def test_arrays_of_python_are_by_rows(self):
        self.python()
        self.write("own.py", PYTHON)
        model = copy.deepcopy(MORE)
        model["systems"]["spin"]["torque"] = ["-v[3]", "-v[4]", "-v[5]"]
        del model["systems"]["cart"]
        del model["interactions"]["slide"]
        expressions = self.samples(model)
        model["systems"]["spin"].update(torque="py:own.turn", torque_jacobian="py:own.turn_jacobian")
        self.write("m.json", model)
        done = self.perp("run", "m.json", "--plugins")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(log_of(self.path("m.log"))[0], expressions)
        model = copy.deepcopy(MODEL)
        del model["interactions"]
        control = {"u": ["-q[0]", "-v[1]"], "effect": [["1 + q[0]", "0.3"], ["0.1*q[1]", "2"]]}
        model["systems"]["mass"] = {"kind": "lagrangian", "M": [2.0, 3.0], "q0": [0.5, 0.1], "v0": [1, 2],
                                    "control": control}
        expressions = self.samples(model)
        control["effect"] = "py:own.effect"
        self.write("m.json", model)
        self.assertEqual(self.perp("run", "m.json", "--plugins").returncode, 0)
        self.assertEqual(log_of(self.path("m.log"))[0], expressions)

    def test_what_python_throws_is_told_in_a_sentence_with_the_line(self):
        self.python()
        self.write("own.py", PYTHON)
        self.write("broken.py", "def push(t, z)\n    return 1\n")
        for name, says in (("nowhere.push", "`nowhere` cannot be imported: ModuleNotFoundError: there is no such module"),
                           ("os.getpid", "`os` cannot be imported: ModuleNotFoundError: there is no such module"),
                           ("broken.push", "`broken` cannot be imported: SyntaxError: expected ':' (broken.py, line 1)"),
                           ("own.number", "cannot be called: TypeError: it is no function but int"),
                           ("own.pull", "cannot be called: AttributeError: module 'own' has no attribute 'pull'")):
            self.assertIn(says, self.refused(self.with_force(external="py:" + name), "--plugins"))
        self.write("own.py", PYTHON + "def perp_plugin_save(): return b''\ndef perp_plugin_restore(data): pass\n")
        lines = PYTHON.splitlines()
        for name, says in (("wrong", "ValueError: no force at all (own.py:%d)" %
                            (1 + lines.index('    raise ValueError("no force at all")'))),
                           ("writes", "ValueError: assignment destination is read-only (own.py:"),
                           ("deep", " (own.py:%d)" % (2 + lines.index("def deep(t, z):"))),
                           ("nothing", "TypeError: nothing returned None (own.py:%d)" %
                            (1 + lines.index("def nothing(t, z):"))),
                           ("bad", "ValueError: bad returned shape (2,), (1,) is needed (own.py:%d)" %
                            (1 + lines.index("def bad(t, z):")))):
            error = self.refused(self.with_force(external="py:own." + name), "--plugins", code=1)
            self.assertIn("m.json: failed in step ", error)
            self.assertIn(says, error)

    def test_a_resumed_run_has_what_python_remembers(self):
        self.python()
        self.write("own.py", REMEMBERS)
        model = self.with_force(external="py:own.push")
        whole = self.samples(model, "--plugins")
        self.assertEqual(self.perp("run", "m.json", "--plugins", "--until", "0.7").returncode, 0)
        done = self.perp("run", "--resume", "m.log", "m.json", "--plugins")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(log_of(self.path("m.log"))[0], whole)
        self.write("own.py", REMEMBERS.replace("1e-3", "2e-3"))
        done = self.perp("run", "--resume", "m.log", "m.json", "--plugins")
        self.assertEqual(done.returncode, 2)
        self.assertIn("`own`, which m.json takes, has changed since", done.stderr)

    def test_a_state_that_cannot_be_saved_ends_the_run_at_its_beginning(self):
        self.python()
        for line, says in (('raise KeyError("lost")', "KeyError: 'lost' (own.py:8)"),
                           ("repr(asked)", "TypeError: perp_plugin_save returned None, bytes are needed (own.py:7)"),
                           ("return repr(asked)", "TypeError: perp_plugin_save returned str, bytes are needed")):
            self.write("own.py", REMEMBERS.replace("return repr(asked).encode()", line))
            error = self.refused(self.with_force(external="py:own.push"), "--plugins", code=1)
            self.assertIn("m.log: `own` cannot save what it remembers: " + says, error)
            self.assertEqual(len(log_of(self.path("m.log"))[0]), 1)
        self.build("counts", COUNTS % SAVED.replace("return sizeof asked;", "return PERP_PLUGIN_FAILED;"))
        error = self.refused(self.with_force(external="plugin:counts.so:push"), "--plugins", code=1)
        self.assertIn("`counts.so` cannot save what it remembers", error)


if __name__ == "__main__":
    PERP, CC, INCLUDE = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1), os.path.abspath(sys.argv.pop(1))
    CXX, LIBRARY = sys.argv.pop(1), sys.argv.pop(1)  # LIBRARY: libperp.so, "": none to link a program with
    unittest.main()
