# SPDX-License-Identifier: MIT
# An elastic bar hits a wall: contact force, displacements, energies.
# gnuplot -c impacting_bar.gp DIR reads DIR/impacting_bar.csv and writes DIR/impacting_bar.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/impacting_bar.csv'
set output dir.'/impacting_bar.png'
set multiplot layout 3,1 margins 0.09,0.97,0.08,0.93 spacing 0.02,0.06 \
  title 'Elastic bar of 1000 elements thrown at a wall with 0.1 m/s' font ',19'
set xrange [0:0.5]
exact(t) = t > 0.05 && t < 0.05 + 2e3 / sqrt(2.1e11 / 7800) ? 7800 * sqrt(2.1e11 / 7800) * 3.14e-4 * 0.1 / 1e3 : 0
set key center center on
set samples 4000
set ylabel 'contact force (kN)'
set yrange [-0.1:1.8]
plot file using 'time (ms)':'force (kN)' with lines linecolor rgb blue linewidth 1.2 title 'finite elements', \
     exact(x) with lines linecolor rgb orange linewidth 2 title 'exact, ρ c S v'

set ylabel 'displacement (µm)'
set key top center
set yrange [-20:12]
plot file using 'time (ms)':'middle (µm)' with lines linecolor rgb blue linewidth 1.8 title 'middle', \
     file using 'time (ms)':'end (µm)' with lines linecolor rgb green linewidth 1.8 title 'free end'

set xlabel 't (ms)'
set ylabel 'energy (mJ)'
set key top right horizontal
set yrange [0:18]
plot file using 'time (ms)':(1e3 * column('kinetic (J)')) with lines linecolor rgb orange linewidth 1.8 title 'kinetic', \
     file using 'time (ms)':(1e3 * column('elastic (J)')) with lines linecolor rgb purple linewidth 1.8 title 'elastic'
unset multiplot
