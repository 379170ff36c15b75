# SPDX-License-Identifier: MIT
class Perp < Formula
  desc "Nonsmooth dynamical systems: contact, impact, friction, ideal diodes, relays"
  url "@URL@"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "nlohmann-json" => :build
  depends_on "tomlplusplus" => :build
  depends_on "hdf5"
  depends_on "libmatio"
  depends_on "minizip"
  depends_on "openblas"
  depends_on "suite-sparse"
  depends_on "sundials"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DPERP_EXAMPLES=OFF", "-DPERP_TESTS=OFF",
           "-DPERP_FORTRAN=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"lcp.dat").write "2\n0 2 2\n2 2\n2 1 1 2\n-5 -6\n"
    assert_match(/^status +solved$/, shell_output("#{bin}/perp solve lcp.dat"))
  end
end
