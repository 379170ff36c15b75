#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The playground in headless Chromium, judged from the definitions of what it shows; after
scripts/playground. Pictures of it go to build/playground."""
import math
import unittest

from browser import Browser

SCENES = ["ball", "beads", "bridge", "box"]
G = 9.81
# Steps one after another, of the simulation that the page shows; what is asked for of each.
RECORD = """
const [steps, what] = arguments, sim = playground.simulation, out = [];
for (let k = 0; k < steps; k++) { sim.run(1); out.push([...sim[what]]); }
return out;"""


class Playground(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.page.close()

    def setUp(self):
        self.page.size(1280, 1000)
        self.page.driver.refresh()
        self.page.wait(lambda: self.page.js("return window.playground !== undefined"))

    def tearDown(self):
        self.assertEqual(self.page.errors(), [])

    def steps(self):
        return self.page.js("return playground.run.steps")

    def still(self, scene, **shown):
        """The scene at its beginning, paused, with numbers typed in the units of the page."""
        self.page.open(scene)
        for name, value in shown.items():
            self.page.type(name, value)
            self.assertFalse(self.page.is_bad(), self.page.status())
        self.page.pause()
        self.page.js("playground.simulation.reset()")

    def test_nothing_is_loaded(self):
        self.assertEqual(self.page.js("return performance.getEntriesByType('resource').map((e) => e.name)"
                                      ".filter((n) => !n.startsWith('data:'))"), [])

    def test_every_slider_moves_its_parameter_and_the_run_goes_on(self):
        for scene in SCENES:
            self.page.open(scene)
            for slider in self.page.sliders():
                name = slider.removeprefix("set-")
                for target in (0.85, 0.2):
                    at = self.page.drag(slider, target)
                    self.assertAlmostEqual(at, target, delta=0.04, msg=f"{scene}: {slider}")
                    shown = float(self.page.js("return document.getElementById(arguments[0] + '-number').value", slider))
                    value = self.page.js("return playground.simulation.parameters[arguments[0]]", name)
                    scales = {"h": 1e6 if scene == "bridge" else 1e3, "drive": 1e3}
                    self.assertAlmostEqual(value * scales.get(name, 1) / shown, 1, places=9)
                    self.assertFalse(self.page.is_bad(), self.page.status())
                    before = self.page.js("return playground.simulation.time")
                    self.page.wait(lambda: self.page.js("return playground.simulation.time") != before)

    def test_sliders_at_their_ends_do_not_freeze_it(self):
        for scene in SCENES:
            self.page.open(scene)
            for end in ("max", "min"):
                for slider in self.page.sliders():
                    self.page.js("const e = document.getElementById(arguments[0]); e.value = e[arguments[1]];"
                                 "e.dispatchEvent(new Event('input'))", slider, end)
                self.page.play()
                before = self.steps()
                self.page.frames(12)
                self.page.wait(lambda: self.steps() != before)
                self.assertFalse(self.page.is_bad(), f"{scene} {end}: {self.page.status()}")

    def test_bounces_fall_by_e_squared_and_energy_never_grows(self):
        self.still("ball", e=0.5, h=0.1)
        q = [1] + [row[0] for row in self.page.js(RECORD, 16000, "q")]
        apexes = [b for a, b, c in zip(q, q[1:], q[2:]) if a < b >= c and b > 1e-4]
        self.assertGreaterEqual(len(apexes), 4)
        for high, low in zip([1] + apexes, apexes[:4]):
            self.assertAlmostEqual(low / high, 0.25, delta=0.01)
        self.page.click("reset")
        self.page.wait(lambda: self.page.js("return playground.simulation.time") > 1)
        text = self.page.id("checks").text
        self.assertIn("Energy has never grown", text)
        self.assertEqual(self.page.js("return document.querySelectorAll('#checks .bad').length"), 0, text)

    def test_an_explicit_ball_is_seen_to_gain_energy(self):
        self.page.type("theta", 0)
        self.page.type("h", 20)
        self.page.type("e", 1)
        self.page.wait(lambda: "Energy has grown" in self.page.id("checks").text)
        self.assertGreater(self.page.js("return document.querySelectorAll('#checks .bad').length"), 0)

    def test_beads_do_not_penetrate_and_carry_their_weight(self):
        n, h = 30, 1e-3
        self.still("beads", beads=n, e=0.4, h=1)
        fastest = 0
        for z, v in zip(self.page.js(RECORD, 1, "q"), self.page.js(RECORD, 1, "v")):
            self.assertEqual((len(z), len(v)), (n, n))
        for _ in range(40):
            z, v, force = self.page.js("const s = playground.simulation; s.run(100);"
                                       "return [[...s.q], [...s.v], s.lambda[0] / s.parameters.h]")
            fastest = max([fastest] + [abs(x) for x in v])
            gaps = [z[0] - 0.05] + [b - a - 0.1 for a, b in zip(z, z[1:])]
            self.assertGreater(min(gaps), -2 * h * (fastest + 1))
        self.assertAlmostEqual(force, n * G, places=6)
        self.assertLess(max(abs(x) for x in v), 1e-9)

    def test_the_bridge_follows_the_circuit_that_it_is_equal_to(self):
        h = 1e-7
        self.still("bridge", drive=0, R=1000, h=0.1)
        record = self.page.js(RECORD, 12000, "x")
        energies = [(1e-6 * v * v + 1e-2 * i * i) / 2 for v, i in record]
        self.assertLess(max(energies), 5e-5 * 1.001)
        self.assertLess(energies[-1], energies[0] * 0.5)
        damping = 1 / (2 * 1000 * 1e-6)
        w = math.sqrt(1e8 - damping ** 2)
        for k in range(0, 12000, 500):
            t = (k + 1) * h
            exact = 10 * math.exp(-damping * t) * (math.cos(w * t) - damping / w * math.sin(w * t))
            self.assertAlmostEqual(record[k][0], exact, delta=2e-2)
        load = self.page.js("const s = playground.simulation; return [s.lambda[0] + s.lambda[1], s.x[0]]")
        self.assertAlmostEqual(load[0], abs(load[1]), places=9)

    def test_a_driven_bridge_keeps_its_amplitude(self):
        self.still("bridge", drive=10, R=1000, h=0.5)
        v = [row[0] for row in self.page.js(RECORD, 6000, "x")]
        for k in range(0, 6000, 250):
            self.assertAlmostEqual(v[k], 10 * math.cos(1e4 * (k + 1) * 5e-7), delta=0.1)

    def test_friction_stops_the_box_where_it_should(self):
        self.still("box", mu=0.3, speed=2, slope=0)
        x = self.page.js(RECORD, 2000, "q")[-1][0]
        self.assertAlmostEqual(x, 2 ** 2 / (2 * 0.3 * G), delta=0.01)
        self.assertLess(abs(self.page.js("return playground.simulation.v[0]")), 1e-9)
        self.page.type("slope", 10)  # tan 10° < 0.3: it stays
        self.assertLess(abs(self.page.js(RECORD, 500, "v")[-1][0]), 1e-9)
        self.page.type("slope", 30)  # tan 30° > 0.3: it goes
        v = self.page.js(RECORD, 500, "v")[-1][0]
        a = math.radians(30)
        self.assertAlmostEqual(v, 0.5 * G * (math.sin(a) - 0.3 * math.cos(a)), delta=0.01)

    def test_what_the_library_refuses_is_said_and_the_run_goes_on(self):
        for scene, name, text, words in [("ball", "e", "1.5", "e"), ("ball", "h", "0", "h"), ("ball", "e", "", "finite"),
                                         ("beads", "beads", "2.5", "beads"), ("bridge", "R", "-5", "R"),
                                         ("box", "mu", "-0.1", "mu")]:
            self.page.open(scene)
            self.page.play()
            good = self.page.js("return playground.simulation.parameters")
            self.page.type(name, text)
            self.assertTrue(self.page.is_bad())
            self.assertIn(words, self.page.status())
            number = self.page.id(f"set-{name}-number")
            self.assertIsNotNone(number.get_attribute("aria-invalid"))
            self.assertEqual(self.page.js("return playground.simulation.parameters"), good)
            before = self.steps()
            self.page.wait(lambda: self.steps() > before)
            scale = {"h": 1e3}.get(name, 1)
            self.page.type(name, good[name] * scale)
            self.assertFalse(self.page.is_bad())
            self.assertIsNone(number.get_attribute("aria-invalid"))

    def test_enormous_steps_do_not_freeze_it(self):
        for scene in SCENES:
            self.page.open(scene)
            self.page.type("h", "1e250")
            for _ in range(3):
                self.page.click("step")
                self.page.frames(2)
            self.page.type("h", 1)
            self.page.click("reset")
            before = self.steps()
            self.page.wait(lambda: self.steps() > before)
            self.assertFalse(self.page.is_bad(), self.page.status())

    def test_a_step_that_fails_stops_with_its_status(self):
        self.page.js("playground.simulation.set({h: 1e308}); playground.run.p.h = 1e-3")
        self.page.wait(lambda: self.page.is_bad())
        self.assertIn("Stopped at", self.page.status())
        self.assertIn("must be finite", self.page.status())
        self.assertEqual(self.page.id("play").text, "Run")
        self.page.frames(3)
        self.page.type("h", 1)
        self.page.click("play")
        before = self.steps()
        self.page.wait(lambda: self.steps() > before)

    def test_keys_and_buttons(self):
        body = self.page.driver.find_element("tag name", "body")
        body.send_keys(" ")
        self.assertEqual(self.page.id("play").text, "Run")
        before = self.steps()
        body.send_keys(".")
        self.assertEqual(self.steps(), before + 1)
        v = self.page.js("return playground.simulation.v[0]")
        body.send_keys("p")
        self.assertGreater(self.page.js("return playground.simulation.v[0]"), v + 2)
        body.send_keys("r")
        self.page.wait(lambda: self.page.js("return playground.simulation.time") < 0.5)
        body.send_keys("3")
        self.assertEqual(self.page.id("tab-bridge").get_attribute("aria-selected"), "true")
        self.page.id("tab-bridge").send_keys("\ue014")  # right arrow
        self.assertEqual(self.page.id("tab-box").get_attribute("aria-selected"), "true")

    def test_every_control_has_a_name_of_its_own(self):
        for scene in SCENES:
            self.page.open(scene)
            nodes = self.page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
            roles = {"slider", "spinbutton", "button", "tab", "image"}
            found = [(n["role"]["value"], n["name"]["value"]) for n in nodes
                     if not n["ignored"] and n["role"]["value"] in roles]
            self.assertGreater(sum(role == "slider" for role, _ in found), 3)
            self.assertTrue(all(name.strip() for _, name in found), found)
            self.assertEqual(len(found), len(set(found)), found)

    def test_it_can_be_read_and_fits(self):
        for width, height in ((1280, 1000), (700, 900), (390, 844), (320, 600)):
            for dark in (False, True):
                self.page.size(width, height, dark)
                for scene in SCENES:
                    self.page.open(scene)
                    self.assertLessEqual(self.page.js("return document.documentElement.scrollWidth"), width)
                    drawn = self.page.js(
                        "const s = document.getElementById('stage'), c = document.createElement('canvas');"
                        "[c.width, c.height] = [s.width, s.height];"
                        "const g = c.getContext('2d', {willReadFrequently: true}); g.drawImage(s, 0, 0);"
                        "return g.getImageData(0, 0, c.width, c.height).data.filter((a, i) => i % 4 === 3 && a > 0).length")
                    self.assertGreater(drawn, 1000, f"{scene} {width}")
                for one in ("--ink", "--soft", "--body", "--force", "--bad", "--good"):
                    self.assertGreater(self.contrast(one, "--card"), 4.5, f"{one}, dark: {dark}")

    def contrast(self, one, other):
        """As WCAG 2 defines it."""
        def luminance(colour):
            parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
            linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        values = self.page.js("const s = getComputedStyle(document.documentElement);"
                              "return arguments[0].map((n) => s.getPropertyValue(n).trim())", [one, other])
        light, dark = sorted((luminance(v) for v in values), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    def test_pictures(self):
        for scene in SCENES:
            for width, height, dark in ((1280, 1000, False), (1280, 1000, True), (390, 844, False), (390, 844, True)):
                self.page.size(width, height, dark)
                self.page.open(scene)
                pace = 5e-4 if scene == "bridge" else 1
                self.page.wait(lambda: self.page.js("return playground.simulation.time") > 1.2 * pace)
                path = self.page.picture(f"{scene}-{'phone' if width < 600 else 'desktop'}-{'dark' if dark else 'light'}")
                self.assertGreater(path.stat().st_size, 20000)


if __name__ == "__main__":
    unittest.main()
