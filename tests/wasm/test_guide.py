#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The programs of docs/webassembly.md do what the page says; after scripts/build-wasm."""
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/webassembly.md").read_text()


class Guide(unittest.TestCase):
    def run_program(self, text):
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            (at / "node_modules").mkdir()
            (at / "node_modules/perp-dynamics").symlink_to(ROOT / "build/npm")
            (at / "first.mjs").write_text(text)
            return subprocess.run(["node", "first.mjs"], cwd=at, check=True, capture_output=True, text=True).stdout

    def test_its_programs_run(self):
        blocks = re.findall(r"```js\n(.*?)```", PAGE, re.S)
        self.assertEqual(len(blocks), 2)
        first, second = map(self.run_program, blocks)
        self.assertRegex(first, r"0\.45\d* s: 8\.\d+ N s")
        self.assertIn("finished: 2000 steps, t = 2", first)
        self.assertIn("[ 'impact' ]", first)
        self.assertRegex(first, r"1\.333333333333\d+, 2\.333333333333\d+")
        self.assertRegex(second, r"^[1-9]\d* impacts\n$")

    def test_its_names_and_its_sentence(self):
        table = PAGE.split("Differences:")[1].split("Not in it")[0]
        calls = set(re.findall(r"`(m|sim|perp|solver)\.(\w+)", table))
        self.assertGreater(len(calls), 8)
        asked = "".join(f"if (!({name!r} in {of})) throw new Error({f'{of}.{name}'!r});\n" for of, name in sorted(calls))
        said = self.run_program(f"""
import {{ load }} from "perp-dynamics";
const perp = await load(), m = new perp.Model(), sim = new perp.Simulation(m), solver = new perp.Solver();
{asked}
try {{ new perp.Simulation(m, {{ h: 0 }}); }} catch (error) {{ console.log(error.message); }}
""")
        self.assertIn(f"`{said.strip()}`", PAGE)


if __name__ == "__main__":
    unittest.main()
