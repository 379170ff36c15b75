# SPDX-License-Identifier: MIT
# From the mathematics of Markdown as GitHub renders it to Doxygen's: $`a`$ is \f$a\f$, and a fenced
# block ```math is \f[ ... \f]. <a id="label"></a> on a line is \anchor label, and links to it, page.md#label
# and #label, are to the label.
s/\$`\([^`]*\)`\$/\\f$\1\\f$/g
/^```math[[:space:]]*$/,/^```[[:space:]]*$/{
  s/^```math[[:space:]]*$/\\f[/
  s/^```[[:space:]]*$/\\f]/
}
s/](\([A-Za-z0-9.\/-]*\.md\)*#\([A-Za-z0-9-]*\))/](@ref \2)/g
s/^<a id="\([A-Za-z0-9-]*\)"><\/a>$/\\anchor \1/
# Doxygen shows the marks of code in the text of a link.
s/\[\([^][`]*\)`\([^`]*\)`\([^][`]*\)\](/[\1\2\3](/g
