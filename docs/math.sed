# SPDX-License-Identifier: MIT
# From the mathematics of Markdown as GitHub renders it to Doxygen's: $`a`$ is \f$a\f$, and a fenced
# block ```math is \f[ ... \f].
s/\$`\([^`]*\)`\$/\\f$\1\\f$/g
/^```math[[:space:]]*$/,/^```[[:space:]]*$/{
  s/^```math[[:space:]]*$/\\f[/
  s/^```[[:space:]]*$/\\f]/
}
