# SPDX-License-Identifier: MIT
"""The programs of docs/python.md do what the page says, and its names exist."""
import builtins
import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest

import perp

PAGE = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "python.md").read_text()


class Guide(unittest.TestCase):
    def test_its_programs_run(self):
        blocks = re.findall(r"```python\n(.*?)```", PAGE, re.S)
        self.assertEqual(len(blocks), 4)
        names, printed, here = {}, [], os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for block in blocks:
                    with contextlib.redirect_stdout(io.StringIO()) as text:
                        exec(compile(block, "docs/python.md", "exec"), names)
                    printed.append(text.getvalue())
            finally:
                os.chdir(here)
            self.assertEqual(pathlib.Path(folder, "ball.png").read_bytes()[:4], b"\x89PNG")
        self.assertIn("2.0 [0.003", printed[0])
        self.assertIn("('impact',)", printed[0])
        self.assertIn("near the wall at", printed[2])
        self.assertIn("[1.33333333 2.33333333]", printed[3])

    def test_the_names_of_its_tables_exist(self):
        table = PAGE.split("## What there is")[1].split("Options are")[0] + PAGE.split("sentence that begins")[1].split("`checkpoint")[0]
        for name in set(re.findall(r"`([A-Za-z_]\w+)(?:\([^`]*\))?`", table)):
            self.assertTrue(any(hasattr(of, name) for of in (perp, perp.Model, perp.Simulation, builtins)), name)

    def test_every_public_thing_is_documented(self):
        for name in dir(perp):
            thing = getattr(perp, name)
            if not name.startswith("_") and (isinstance(thing, type) or callable(thing)):
                self.assertTrue((thing.__doc__ or "").strip(), name)
                for method, function in vars(thing).items() if isinstance(thing, type) else ():
                    if callable(function) and not method.startswith("_") and thing.__module__.startswith("perp"):
                        owner = next((b for b in thing.__mro__[1:] if method in vars(b)), None)
                        self.assertTrue((function.__doc__ or "").strip() or owner, f"{name}.{method}")


if __name__ == "__main__":
    unittest.main()
