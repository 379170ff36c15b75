# SPDX-License-Identifier: MIT
from spack.package import *


class Perp(CMakePackage):
    """Nonsmooth dynamical systems: contact, impact, friction, ideal diodes, relays."""

    url = "@URL@"
    license("MIT")
    version("@VERSION@", sha256="@SHA256@")

    variant("shared", default=True, description="Build shared libraries")
    variant("full", default=True, description="Heap, LAPACK, KLU, LDL, SUNDIALS; otherwise the core alone")
    variant("tool", default=True, when="+full", description="The perp command")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    with when("+full"):
        depends_on("openblas")
        depends_on("netlib-lapack+lapacke")
        depends_on("suite-sparse")
        depends_on("sundials@6+klu")
    with when("+tool"):
        depends_on("cli11")
        depends_on("hdf5")
        depends_on("matio")
        depends_on("minizip")
        depends_on("nlohmann-json")
        depends_on("tomlplusplus")
        depends_on("zlib-api")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("PERP_FULL", "full"),
            self.define_from_variant("PERP_TOOL", "tool"),
            self.define("PERP_FORTRAN", False),
            self.define("PERP_EXAMPLES", False),
            self.define("PERP_TESTS", False),
        ]
