#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pages of perp view: test_view.py PERP [TEST...].

What a page holds is unpacked by the few lines below and compared with the log as read_log.py reads it; what
a page does is seen in headless Chromium, where Debian's Selenium, Chromium and its driver are. Without them
these tests are skipped, or fail if PERP_BROWSER is "required"."""
import array
import base64
import json
import math
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import read_log
from write_log import write_log

HERE = pathlib.Path(__file__).resolve().parent
PERP = ""
BUNDLE, DATA = 700_000, 5_000_000
HOSTILE = "</script><script>window.broken=1</script><img src=x onerror=window.broken=2>&amp;\"'"
BODY = """
[systems.top]
kind = "newton_euler"
repeat = 3
mass = 1
inertia = [[0.01, 0, 0], [0, 0.02, 0], [0, 0, 0.03]]
q0 = ["i", "0.3*i", 2, 1, 0, 0, 0]
v0 = [0.3, "0.2*i", 3, 0.1, "5 + i", 0.2]
f = [0, 0, -9.81]
[simulation]
h = 1e-3
until = 1.0
"""

try:
    sys.path.insert(0, str(HERE / "wasm"))
    from browser import Browser
    from selenium.webdriver.common.action_chains import ActionChains
    MISSING = "" if shutil.which("chromium") and shutil.which("chromedriver") else "no Chromium with its driver"
except ImportError as e:
    MISSING = str(e)


STONES = [("stone", "q", 1, 2, ["x", "y", "z", "p0", "p1", "p2", "p3"])]


def contact(rng):
    """One of a log: 6 whole numbers, gap, point, normal, tangent, lambda; its axes are unit vectors."""
    n = (0.6, 0.0, 0.8) if rng.random() < 0.5 else (0.0, 1.0, 0.0)
    t = (0.8, 0.0, -0.6) if n[0] else (0.0, 0.0, 1.0)
    point, push = [rng.uniform(-2, 2) for _ in range(3)], [rng.uniform(0.1, 9), rng.uniform(-1, 1), rng.uniform(-1, 1)]
    return [0, 1, 0, 0, 0, 3, -1e-3, *point, *n, *t, *push, 0, 0]


def point_and_reaction(c):
    point, n, t, push = (c[k:k + 3] for k in (7, 10, 13, 16))
    s = n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]
    return [*point, *(push[0] * a + push[1] * b + push[2] * c for a, b, c in zip(n, t, s))]


def call(*arguments):
    return subprocess.run([PERP, *map(str, arguments)], capture_output=True, text=True, timeout=300)


# ---- logs ----

class Log:
    """Times, and values by the name of the column."""

    def __init__(self, path):
        self.times, self.columns, names, self.events = [], {}, [], 0
        for kind, records, b in read_log.blocks(pathlib.Path(path).read_bytes()):
            if kind == 1:
                _, width, _, quantities = b.take("IIII")
                self.texts = [b.text() for _ in range(4)]
                for _ in range(quantities):
                    names += self.quantity(b)
                self.columns = {name: array.array("d") for name in names}
                rows = struct.Struct(f"<d{len(names)}{'f' if width == 4 else 'd'}")
            elif kind == 2:
                for row in rows.iter_unpack(b.data):
                    self.times.append(row[0])
                    for column, value in zip(self.columns.values(), row[1:]):
                        column.append(value)
            elif kind == 3:
                self.events += records

    @staticmethod
    def quantity(b):
        kind, name, _, _ = (b.text() for _ in range(4))
        _, members, components, n = b.take("iIII")
        of = [b.text() for _ in range(n)] or ([kind] if members == 1 else [f"{kind}[{k}]" for k in range(members)])
        parts = [b.text() for _ in range(components)]
        for _ in range(components):
            b.text()
        objects = b.take("I")
        b.at += 4 * objects
        return [f"{m}.{name}" + (f".{part or k}" if components > 1 else "") for m in of for k, part in enumerate(parts)]


# ---- pages ----

class Page:
    """What is in a page: see the head of view.cpp."""

    def __init__(self, path):
        self.html = pathlib.Path(path).read_text()
        find = lambda mark: re.search(rf'<script id="{mark}"[^>]*>(.*?)</script>', self.html, re.S).group(1)
        self.json, packed, frames, contacts = map(find, ("about", "numbers", "frames", "contacts"))
        self.about = json.loads(self.json)
        self.bytes_of_data = sum(map(len, (self.json, packed, frames, contacts)))
        self.names = [self.name(*c) for c in self.about["columns"]]
        d, raw = self.about["data"], base64.b64decode(packed, validate=True)
        self.curves, at = {}, 0
        if d["what"] == "shared":
            times, at = list(struct.unpack_from(f"<{d['points']}d", raw)), 8 * d["points"]
        for k, name in enumerate(self.names):
            if d["what"] == "shared":
                y, at = self.column(raw, at, d["points"], d["form"])
                self.curves[name] = (times, y)
            elif d["points"][k]:
                x, at = self.column(raw, at, d["points"][k], d["form"])
                y, at = self.column(raw, at, d["points"][k], d["form"])
                self.curves[name] = (x, y)
        assert at == len(raw)
        f, raw = self.about.get("frames"), base64.b64decode(frames, validate=True)
        if f:
            self.frame_times, at, self.frames = struct.unpack_from(f"<{f['points']}d", raw), 8 * f["points"], {}
            for k in f["columns"]:
                self.frames[self.names[k]], at = self.column(raw, at, f["points"], "i16")
        c, raw = self.about.get("contacts"), base64.b64decode(contacts, validate=True)
        self.contacts, at = [], 0  # (t, [[x, y, z, reaction x, y, z], ...])
        if c:
            times, counts = struct.unpack_from(f"<{c['lists']}d", raw), struct.unpack_from(f"<{c['lists']}d", raw, 8 * c["lists"])
            columns, at = [], 16 * c["lists"]
            for _ in range(6):
                values, at = self.column(raw, at, c["total"], c["form"])
                columns.append(values)
            rows = iter(zip(*columns))
            self.contacts = [(t, [next(rows) for _ in range(int(n))]) for t, n in zip(times, counts)]
        assert at == len(raw)

    def name(self, quantity, _, member, component, __):
        q = self.about["quantities"][quantity]
        part = (q["componentNames"] or [""] * q["components"])[component] or component
        return f"{member}.{q['name']}" + (f".{part}" if q["components"] > 1 else "")

    @staticmethod
    def column(raw, at, n, form):
        offset, scale = struct.unpack_from("<dd", raw, at)
        code, width = {"f64": ("d", 8), "f32": ("f", 4), "i16": ("h", 2)}[form]
        values = struct.unpack_from(f"<{n}{code}", raw, at + 16)
        if form != "f64":
            values = [math.nan if form == "i16" and v == -32768 else offset + scale * v for v in values]
        return list(values), at + 16 + n * width


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="perp-view-")
        self.dir = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def run_model(self, name, *options, model=None):
        file, log = self.dir / f"{name}.toml", self.dir / f"{name}.log"
        file.write_text(call("new", name).stdout if model is None else model)
        done = call("run", file, "--log", log, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return log

    def view(self, log, *options, says=""):
        out = self.dir / (pathlib.Path(log).stem + ".html")
        done = call("view", log, "-o", out, *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{out}\n", says))
        page = Page(out)
        self.assertLessEqual(page.bytes_of_data, DATA)
        self.assertLessEqual(out.stat().st_size, BUNDLE + 100_000 + DATA)
        page.path = out
        return page

    def broken(self, samples=((0, 1), (1, 2)), **more):
        log = self.dir / "made.log"
        write_log(log, [("ball", "q", 1, 1, [""])], [list(s) for s in samples], **more)
        return log


class Pages(Case):
    def test_the_bundle_has_its_licences_and_a_size(self):
        bundle = (HERE / "../cpp/tool/view/bundle.js").read_text()
        self.assertLessEqual(len(bundle.encode()), BUNDLE)
        versions = json.loads((HERE / "../cpp/tool/view/package.json").read_text())["devDependencies"]
        for word in (f"uPlot {versions['uplot']}", "Leon Sorokin", f"three.js {versions['three']}", "three.js authors"):
            self.assertIn(word, bundle[:4000])
        self.assertEqual(bundle[:4000].count("WITHOUT WARRANTY OF ANY KIND"), 2)

    def test_a_small_log_is_there_bit_by_bit(self):
        log = self.run_model("ball", "--until", "1")
        page, read = self.view(log), Log(log)
        self.assertEqual(page.about["data"]["form"], "f64")
        self.assertEqual(page.names, list(read.columns))
        for name, (x, y) in page.curves.items():
            self.assertEqual((x, y), (read.times, list(read.columns[name])))
        self.assertEqual(page.about["model"], read.texts[2])
        self.assertEqual(page.about["title"], "Bouncing ball")

    def test_a_larger_one_is_in_single_precision_and_0_stays_0(self):
        log = self.run_model("diode_bridge")
        page, read = self.view(log), Log(log)
        self.assertEqual((page.about["data"]["what"], page.about["data"]["form"]), ("shared", "f32"))
        for name, (x, y) in page.curves.items():
            values = read.columns[name]
            allowed = 2.0 ** -24 * (max(values) - min(values))
            self.assertEqual(x, read.times)
            self.assertTrue(all(abs(a - b) <= allowed for a, b in zip(y, values)), name)
            self.assertTrue(all(a == 0 for a, b in zip(y, values) if b == 0), name)

    def test_of_many_samples_the_extremes_stay(self):
        log = self.run_model("ball", "--set", "simulation.h=1e-5", "--until", "1.7")
        page, read = self.view(log), Log(log)
        h, n = 1e-5, len(read.times)
        self.assertEqual(page.about["data"]["what"], "curves")
        for name, (x, y) in page.curves.items():
            values = read.columns[name]
            self.assertLess(len(x), n / 2)
            self.assertGreater(len(x), 5000 if name != "ground.lambda" else 20)
            places = [round(t / h) for t in x]
            scale = max(map(abs, values))
            self.assertTrue(all(abs(values[i] - v) <= 1e-7 * scale for i, v in zip(places, y)), "no sample of the log")
            stretch = max(b - a for a, b in zip(places, places[1:]))
            k = 0
            for begin in range(0, n, 997):
                part = values[begin:begin + 997]
                while places[k] < begin - stretch:
                    k += 1
                near = [v for i, v in zip(places[k:k + 4000], y[k:k + 4000]) if i < begin + 997 + stretch]
                self.assertGreaterEqual(max(near), max(part) - 1e-7 * scale)
                self.assertLessEqual(min(near), min(part) + 1e-7 * scale)

    def test_a_thousand_systems_fit(self):
        log = self.run_model("beads", "--every", "10")
        page, read = self.view(log), Log(log)
        self.assertEqual((len(page.names), page.about["data"]["form"], page.about["left"]), (4000, "i16", 0))
        stride, n = page.about["frames"]["stride"], len(page.frame_times)
        self.assertEqual(list(page.frame_times), read.times[::stride])
        self.assertEqual(len(page.frames), 1000)
        for name, values in page.frames.items():
            here = read.columns[name][::stride]
            self.assertTrue(all(abs(a - b) <= 1e-4 * (max(here) - min(here)) for a, b in zip(values, here)), name)
            self.assertEqual(len(values), n)

    def test_bodies_that_are_too_many_for_curves_move(self):
        log, n, steps = self.dir / "made.log", 2000, 80
        body = ["x", "y", "z", "p0", "p1", "p2", "p3"]
        samples = [[0.01 * k, *((0.1 * i + 0.01 * k if c == 0 else i % 7 - 0.001 * k if c == 2 else c == 3) for i in range(n)
                                for c in range(7)), *(k * i % 13 for i in range(n) for _ in range(6))] for k in range(steps)]
        write_log(log, [("body", "q", 1, n, body), ("body", "v", 2, n, ["vx", "vy", "vz", "wx", "wy", "wz"])], samples)
        page = self.view(log)
        self.assertGreater(page.bytes_of_data, 0.8 * DATA)
        self.assertEqual(len(page.frames), 7 * n)
        self.assertGreater(len(page.frame_times), 20)
        stride = page.about["frames"]["stride"]
        self.assertEqual(list(page.frame_times), [s[0] for s in samples[::stride]])
        for i in (0, 1, 777, n - 1):
            for c, part in enumerate(body):
                values = [s[1 + 7 * i + c] for s in samples[::stride]]
                for got, is_ in zip(page.frames[f"body[{i}].q.{part}"], values):
                    self.assertAlmostEqual(got, is_, delta=1e-4 * (1 + max(values) - min(values)))
        for name in ("body[0].q.x", f"body[{n - 1}].v.vz"):
            self.assertEqual(len(page.curves[name][0]), steps, name)
        self.assertEqual(page.about["left"], 13 * n - len(page.names))

    def test_columns_that_are_too_many_fill_the_page(self):
        log, n = self.dir / "made.log", 160_000
        write_log(log, [("box", "a", 0, n, [""])], [[k, *[k] * n] for k in range(12)])
        page = self.view(log)
        self.assertGreater(len(page.names), 4000)
        self.assertEqual(page.curves[f"box[{n - 1}].a"], (list(range(12)),) * 2)

    def test_names_choose(self):
        log = self.run_model("ball", "--until", "0.1")
        self.assertEqual(self.view(log, "ball.v", "*.lambda").names, ["ball.v", "ground.lambda"])
        done = call("view", log, "bal.q")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("bal.q", done.stderr)

    def test_texts_of_a_log_end_no_script(self):
        log = self.dir / "made.log"
        write_log(log, [(HOSTILE.replace("/", "").replace(".", ""), "q", 0, 1, [HOSTILE])], [[0, 1], [1, 2]], model=HOSTILE + "<!--<script>", name=HOSTILE)
        page = self.view(log)
        self.assertNotIn("<", page.json)
        self.assertEqual(page.about["model"], HOSTILE + "<!--<script>")
        self.assertEqual(page.html.count("window.broken=1<"), 0)

    def test_numbers_that_are_not_finite_stay(self):
        page = self.view(self.broken([(0, 1), (1, math.nan), (2, math.inf), (3, 4)]))
        x, y = page.curves["ball.q"]
        self.assertEqual((x, y[0], y[2], y[3]), ([0, 1, 2, 3], 1, math.inf, 4))
        self.assertTrue(math.isnan(y[1]))
        self.assertEqual(page.about["notFinite"], 2)

    def test_a_log_of_nothing_but_times(self):
        log = self.dir / "made.log"
        write_log(log, [], [[k] for k in range(500_000)])
        self.assertEqual(self.view(log).names, [])

    def test_contacts_of_a_pool(self):
        rng = random.Random(4)
        for samples, contacts, stride, most in ((50, 20, 1, 0), (3500, 1, 2, 0), (11, 8100, 1, 72000 // 11)):
            lists = [[contact(rng) for _ in range(contacts + k % 3 if k % 10 else 0)] for k in range(samples)]
            write_log(self.dir / "made.log", STONES, [[k, *[k] * 14] for k in range(samples)], contacts=lists)
            page = self.view(self.dir / "made.log")
            told = page.about["contacts"]
            self.assertEqual((told["stride"], told["most"], told["form"]), (stride, most, "i16" if most else "f32"))
            self.assertEqual([t for t, _ in page.contacts], list(range(0, samples, stride)))
            for (_, got), of in zip(page.contacts, lists[::stride]):
                should = [point_and_reaction(c) for c in of]
                if most:
                    should = sorted(sorted(should, key=lambda c: -math.hypot(*c[3:]))[:most])
                    got = sorted(got)
                self.assertEqual(len(got), len(should))
                if not most:
                    worst = max((abs(a - b) for x, y in zip(got, should) for a, b in zip(x, y)), default=0)
                    self.assertLess(worst, 1e-6)
                elif should:  # no weaker one is kept
                    weakest = min(math.hypot(*c[3:]) for c in should)
                    self.assertGreater(min(math.hypot(*c[3:]) for c in got), weakest - 1e-3)
        write_log(self.dir / "made.log", STONES, [[k, *[k] * 14] for k in range(3)], contacts=[[]] * 3)
        self.assertNotIn("contacts", self.view(self.dir / "made.log").about)

    def test_a_cut_log_without_an_end(self):
        log = self.broken()
        log.write_bytes(log.read_bytes()[:-5])
        page = self.view(log, says=f"perp: {log}: 75 bytes after t = 1 are damaged and left out\n")
        self.assertNotIn("end", page.about)
        self.assertGreater(page.about["cut"], 0)
        self.assertEqual(page.curves["ball.q"], ([0, 1], [1, 2]))

    def test_open_gives_the_page_to_the_desktop(self):
        opener, out = self.dir / "xdg-open", self.dir / "made.html"
        for code, answer in (("0", 0), ("3", 1)):
            opener.write_text(f'#!/bin/sh\necho "$1" >"$0.said"\nexit {code}\n')
            opener.chmod(0o755)
            done = subprocess.run([PERP, "view", self.broken(), "-o", out, "--open"], capture_output=True, text=True,
                                  env={**os.environ, "PATH": f"{self.dir}:{os.environ['PATH']}"}, timeout=60)
            self.assertEqual(done.returncode, answer, done.stderr)
            self.assertEqual((self.dir / "xdg-open.said").read_text(), f"{out}\n")
            self.assertTrue(out.exists())

    def test_what_is_refused(self):
        log, other = self.broken(), self.dir / "a.txt"
        other.write_text("no log")
        for arguments in ([other], [self.dir / "none.log"], [log, "-o", log], [log, "-o", self.dir / "m.toml"], [log, "-o", self.dir / "none/a.html"]):
            done = call("view", *arguments)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done)
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["a.txt", "made.log"])


class InChromium(Case):
    @classmethod
    def setUpClass(cls):
        if MISSING and os.environ.get("PERP_BROWSER") != "required":
            raise unittest.SkipTest(MISSING)
        cls.browser = Browser("about:blank")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def open(self, page):
        self.browser.size(1280, 1000)
        self.browser.driver.get(page.path.as_uri())
        self.js = self.browser.js
        self.browser.wait(lambda: self.js("return window.perpView !== undefined"))
        self.browser.frames(2)

    def tearDown(self):
        # The driver of a processor that draws says that it is slow.
        self.assertEqual([e for e in self.browser.errors() if "GPU stall due to ReadPixels" not in e["message"]], [])
        self.assertEqual(self.js("return performance.getEntriesByType('resource').map((e) => e.name)"
                                 ".filter((n) => !n.startsWith('data:'))"), [])

    def view_range(self):
        return self.js("return perpView.plots.view")

    def notices(self):
        return self.browser.id("notices").text

    def over(self, nth=0):
        element = self.browser.driver.find_elements("css selector", "#figures .u-over")[nth]
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        return element

    def test_plots_have_the_values_of_the_log(self):
        log = self.run_model("ball", "--until", "1")
        read = Log(log)
        self.open(self.view(log))
        drawn = self.js("return [...perpView.plots.plots.values()].map(({plot}) => [plot.series[1].label,"
                        "[...plot.data[0]], [...plot.data[1]]])")
        self.assertEqual([name for name, *_ in drawn], list(read.columns))
        for name, x, y in drawn:
            self.assertEqual((x, y), (read.times, list(read.columns[name])))
        self.assertIn("finished", self.browser.id("ending").text)

    def test_zoom_pan_and_cursor(self):
        log = self.run_model("ball", "--until", "1")
        read = Log(log)
        self.open(self.view(log))
        over = self.over()
        width = over.size["width"]
        ActionChains(self.browser.driver, duration=50).move_to_element_with_offset(over, -width // 4, 0) \
            .click_and_hold().move_by_offset(width // 2, 0).release().perform()
        low, high = self.view_range()
        self.assertAlmostEqual(low, 0.25, delta=0.01)
        self.assertAlmostEqual(high, 0.75, delta=0.01)
        shown = self.js("return [...perpView.plots.plots.values()].map(({plot}) => [plot.scales.x.min, plot.scales.x.max])")
        self.assertEqual(shown, [[low, high]] * len(read.columns))
        ActionChains(self.browser.driver, duration=0).move_to_element_with_offset(over, 10, 5).perform()
        t = low + (0.5 + 10 / width) * (high - low)
        near = min(range(len(read.times)), key=lambda i: abs(read.times[i] - t))
        said = self.js("return [...document.querySelectorAll('#figures .u-legend')[0].querySelectorAll('.u-value')].map((e) => e.textContent)")
        self.assertAlmostEqual(float(said[0].split()[0]), read.times[near], delta=2e-3)
        self.assertAlmostEqual(float(said[1].split()[0].replace("\u2212", "-")), read.columns["ball.q"][near], delta=2e-2)
        self.browser.click("right")
        self.assertAlmostEqual(self.view_range()[0], low + 0.25 * (high - low), places=9)
        self.browser.click("all")
        self.assertEqual(self.view_range(), [read.times[0], read.times[-1]])
        root = self.browser.driver.find_element("css selector", "#figures .uplot")
        root.send_keys("+")
        self.assertAlmostEqual(self.view_range()[1] - self.view_range()[0], 0.5, places=3)
        root.send_keys("0")
        self.assertEqual(self.view_range(), [read.times[0], read.times[-1]])

    def test_bodies_are_where_the_log_has_them(self):
        log = self.run_model("body", model=BODY)
        read = Log(log)
        self.open(self.view(log))
        self.assertEqual(self.js("return perpView.motion.movers.map((m) => m.meaning)"), ["body"])
        for frame in (0, 137, 500, 1000):
            self.js("perpView.motion.seek(arguments[0])", read.times[frame])
            drawn = self.js("const a = perpView.motion.movers[0].mesh.instanceMatrix.array; return [...a]")
            size = self.js("return perpView.motion.radius")
            for k in range(3):
                x, y, z, a, b, c, d = (read.columns[f"top[{k}].q.{p}"][frame] for p in ("x", "y", "z", "p0", "p1", "p2", "p3"))
                m = drawn[16 * k:16 * k + 16]
                for got, is_ in zip(m[12:15], (x, y, z)):
                    self.assertAlmostEqual(got, is_, delta=1e-5)
                # first column of the rotation of a unit quaternion
                for got, is_ in zip(m[0:3], (a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c))):
                    self.assertAlmostEqual(got / size, is_, delta=1e-5)
        self.assertGreater(self.colours_of_scene(), 20)

    def colours_of_scene(self):
        return self.js("""perpView.motion.draw(); const s = document.getElementById('scene'), c = document.createElement('canvas');
            [c.width, c.height] = [s.width, s.height]; const g = c.getContext('2d'); g.drawImage(s, 0, 0);
            return new Set(new Uint32Array(g.getImageData(0, 0, c.width, c.height).data.buffer)).size""")

    def test_playback_by_keys(self):
        log = self.run_model("ball", "--until", "2", "--every", "100")
        read = Log(log)
        self.open(self.view(log))
        now = lambda: self.js("return perpView.motion.t")
        body = self.browser.driver.find_element("tag name", "body")
        body.send_keys("\ue014")  # right arrow
        self.assertEqual(now(), read.times[1])
        body.send_keys("\ue012")  # left
        self.assertEqual(now(), 0)
        self.js("perpView.motion.seek(arguments[0])", (read.times[20] + read.times[21]) / 2)
        (x, y, z, _), = self.js("return perpView.motion.positions(0)")
        self.assertAlmostEqual(z, (read.columns["ball.q"][20] + read.columns["ball.q"][21]) / 2, places=9)
        self.assertEqual((x, y), (0, 0))
        self.js("perpView.motion.speed = 100")
        body.send_keys(" ")
        self.browser.wait(lambda: now() == read.times[-1] and self.browser.id("play").text == "Play")
        self.browser.id("time").send_keys("\ue011")  # home
        self.assertEqual(now(), 0)
        self.js("perpView.plots.seek(1)")
        self.assertEqual(now(), 1)

    def test_angles_of_a_pendulum_are_rods(self):
        log = self.run_model("double_pendulum", "--until", "0.5", "--every", "100")
        read = Log(log)
        self.open(self.view(log))
        t, a, b = read.times[30], read.columns["pendulum.q.0"][30], read.columns["pendulum.q.1"][30]
        self.js("perpView.motion.seek(arguments[0])", t)
        drawn = self.js("return perpView.motion.positions(0).map((p) => p.slice(0, 3))")
        first = [math.sin(a), 0, -math.cos(a)]
        second = [first[0] + math.sin(b), 0, first[2] - math.cos(b)]
        for got, is_ in zip(drawn[0] + drawn[1], first + second):
            self.assertAlmostEqual(got, is_, places=9)

    def test_a_planar_body_turns_against_the_clock(self):
        log, a = self.dir / "made.log", 0.7
        write_log(log, [("box", "q", 1, 1, [""] * 3)], [[0, 0, 0, 0], [1, 3, 2, a]])
        self.open(self.view(log))
        self.assertEqual(self.js("return perpView.motion.movers[0].meaning"), "planar")
        self.js("perpView.motion.seek(1)")
        m, size = self.js("return [[...perpView.motion.movers[0].mesh.instanceMatrix.array], perpView.motion.radius]")
        for got, is_ in zip(m[12:15] + [x / size for x in m[0:3]], (3, 0, 2, math.cos(a), 0, math.sin(a))):
            self.assertAlmostEqual(got, is_, places=6)

    def test_contacts_are_drawn_where_they_act(self):
        rng, log = random.Random(5), self.dir / "made.log"
        lists = [[contact(rng) for _ in range(n)] for n in (3, 0, 5, 2)]
        planar = [("box", "q", 1, 1, [""] * 3)]
        for kinds, width, axes in ((STONES, 14, (0, 1, 2)), (planar, 3, (0, None, 1))):
            write_log(log, kinds, [[k, *((k + i) / 4 for i in range(width))] for k in range(4)], contacts=lists)
            self.open(self.view(log))
            for t, of in ((0, lists[0]), (1, lists[1]), (1.7, lists[2]), (2.2, lists[2]), (3, lists[3])):
                self.js("perpView.motion.seek(arguments[0])", t)
                n, matrix, ends, drawn = self.js("""const { mesh, lines } = perpView.motion.contacts;
                    return [mesh.count, [...mesh.instanceMatrix.array], [...lines.geometry.attributes.position.array], lines.geometry.drawRange.count]""")
                self.assertEqual((n, drawn), (len(of), 2 * len(of)))
                for k, c in enumerate(of):
                    point, push = ([0 if a is None else part[a] for a in axes] for part in (point_and_reaction(c)[:3], point_and_reaction(c)[3:]))
                    line = [b - a for a, b in zip(ends[6 * k:6 * k + 3], ends[6 * k + 3:6 * k + 6])]
                    along = math.hypot(*line) / math.hypot(*push)
                    for got, is_ in zip(matrix[16 * k + 12:16 * k + 15] + ends[6 * k:6 * k + 3] + line, [*point, *point, *(along * x for x in push)]):
                        self.assertAlmostEqual(got, is_, delta=1e-5)
                    self.assertGreater(along, 0)
                self.assertIn(f"contacts: {len(of)}, ", self.browser.id("contacts-shown").text)
            self.browser.click("contacts-shown")
            self.assertEqual(self.js("return perpView.motion.contacts.mesh.count"), 0)
        self.assertEqual(self.js("perpView.motion.seek(0); return perpView.motion.contacts.mesh.count"), 0)
        self.browser.click("contacts-shown")
        mark = self.js("return getComputedStyle(document.documentElement).getPropertyValue('--mark').trim()")
        self.assertEqual(self.js("return '#' + perpView.motion.contacts.lines.material.color.getHexString()"), mark)

    def test_hostile_texts_are_text(self):
        log = self.dir / "made.log"
        write_log(log, [(HOSTILE.replace("/", "").replace(".", ""), "q", 0, 1, [HOSTILE])], [[0, 1], [1, 2]], model=HOSTILE + "<!--<script>", name=HOSTILE,
                  events=[(0.5, 1, 0)])
        self.open(self.view(log))
        self.assertIsNone(self.js("return window.broken ?? null"))
        self.assertEqual(self.js("return document.querySelectorAll('img').length"), 0)
        self.assertEqual(self.browser.id("name").text, HOSTILE)
        self.assertIn(HOSTILE + "<!--<script>", [self.js("return arguments[0].textContent", e)
                      for e in self.browser.driver.find_elements("tag name", "pre")])
        self.assertIn("<img src=x", self.browser.id("quantities").text)
        self.assertIn("impact", self.browser.id("events").text)

    def test_logs_with_little_in_them(self):
        for samples, words in (((), "no samples"), (((3, 1),), ""), (((0, 1), (1, math.nan), (2, math.inf), (3, 4)), "2 samples with numbers that are not finite"),
                               (((2, 1), (1, 2)), "not in order")):
            self.open(self.view(self.broken(samples)))
            self.assertIn(words, self.notices())
            self.assertEqual(len(self.browser.driver.find_elements("css selector", "#figures .uplot")), 1 if samples else 0)
            if samples:
                self.assertEqual(self.js("return perpView.plots.plots.get(0).plot.data[1].length"), len(samples))
        log = self.dir / "made.log"
        write_log(log, [], [[0], [1]])
        self.open(self.view(log))
        self.assertIn("2 samples", self.browser.id("summary").text)
        log = self.broken(end=False)
        log.write_bytes(log.read_bytes() + b"PLBK half a block")
        self.open(self.view(log, says=f"perp: {log}: 17 bytes after t = 1 are damaged and left out\n"))
        self.assertIn("The log is cut", self.notices())
        self.assertIn("no end", self.browser.id("ending").text)

    def test_a_thousand_systems_are_listed_when_asked_for(self):
        self.open(self.view(self.run_model("beads", "--every", "10")))
        self.assertIn("Decimated", self.notices())
        self.assertLess(self.js("return document.querySelectorAll('#quantities input').length"), 120)
        self.browser.id("filter").send_keys("bead[777].q")
        self.assertEqual([e.text for e in self.browser.driver.find_elements("css selector", "#quantities .columns label")], ["bead[777].q"])
        self.browser.driver.find_element("css selector", "#quantities .columns input").click()
        self.assertIn("bead[777].q", self.js("return perpView.plots.plots.get(0).plot.series.map((s) => s.label)"))
        self.assertEqual(self.js("return perpView.motion.movers[0].mesh.count"), 1000)

    def test_bodies_without_curves_of_their_own(self):
        log, n = self.dir / "made.log", 2000
        body = ["x", "y", "z", "p0", "p1", "p2", "p3"]
        write_log(log, [("body", "q", 1, n, body), ("body", "v", 2, n, ["vx", "vy", "vz", "wx", "wy", "wz"])],
                  [[k, *((i + k, 0, 0, 1, 0, 0, 0)[c] for i in range(n) for c in range(7)), *[1] * (6 * n)] for k in range(80)])
        self.open(self.view(log))
        self.assertEqual(self.js("return perpView.motion.movers[0].mesh.count"), n)
        self.assertEqual(self.view_range(), [0, 79])
        index = self.js("return perpView.data.columns.find((c) => c.member > 1000 && c.component === 0 && !perpView.data.hasCurve(c.index)).index")
        member = self.js("return perpView.data.columns[arguments[0]].member", index)
        x, y = self.js("const c = perpView.data.curve(arguments[0]); return [[...c.x], [...c.y]]", index)
        for t, value in zip(x, y):
            self.assertAlmostEqual(value, member + t, delta=0.01)
        self.assertIn("have the values of these frames alone", self.notices())

    def test_it_fits_and_its_controls_have_names(self):
        self.open(self.view(self.run_model("body", model=BODY)))
        for width in (1280, 700, 390, 320):
            for dark in (False, True):
                self.browser.size(width, 900, dark)
                self.browser.frames(3)
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)
                self.assertEqual(self.js("return perpView.plots.plots.get(0).plot.series[1].stroke()"), "#7fb0ff" if dark else "#2a63c8")
        nodes = self.browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        roles = {"slider", "button", "image", "checkbox", "combobox", "searchbox", "group"}
        found = [(n["role"]["value"], n["name"]["value"]) for n in nodes if not n["ignored"] and n["role"]["value"] in roles]
        self.assertGreater(len(found), 20)
        self.assertTrue(all(name.strip() for role, name in found if role != "group"), found)


if __name__ == "__main__":
    PERP = sys.argv.pop(1)
    unittest.main()
