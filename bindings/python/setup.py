# SPDX-License-Identifier: MIT
"""What pyproject.toml cannot say: the version, which the C header holds, and that the wheel holds a
library for this machine, but nothing for a certain Python. Built by scripts/wheel, which tells the platform."""
import os
import pathlib
import re

from setuptools import setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent


def version():
    return re.search(r'^VERSION = "(.*)"$', (HERE / "perp" / "_c.py").read_text(), re.M)[1].replace("-dev", ".dev0")


class Platform(Distribution):
    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ.get("PERP_WHEEL_PLATFORM") or super().get_tag()[2]


setup(version=version(), packages=["perp"], package_data={"perp": ["py.typed", "lib/*"]}, zip_safe=False,
      distclass=Platform, cmdclass={"bdist_wheel": AnyPython})
