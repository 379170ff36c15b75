# SPDX-License-Identifier: MIT
# A CMOS inverter whose transistors are piecewise linear: static curve, and pulses.
# gnuplot -c inverter.gp DIR reads DIR/inverter.csv and writes DIR/inverter.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/inverter.csv'
set output dir.'/inverter.png'
set multiplot title 'CMOS inverter of piecewise linear transistors, load of 50 fF, steps of 10 ps' font ',19'
set lmargin at screen 0.075
set rmargin at screen 0.36
set tmargin at screen 0.91
set bmargin at screen 0.09
set border 11
set xrange [0:3]
set yrange [0:3.2]
set y2range [0:64]
set y2tics out scale 0.6
set xlabel 'input (V)'
set ylabel 'static output (V)' textcolor rgb blue
set y2label 'static current (µA)' textcolor rgb orange
set key off
plot file using 6:8 axes x1y2 with lines linecolor rgb orange linewidth 1.6, \
     file using 6:7 with lines linecolor rgb blue linewidth 2
unset y2tics
unset y2label
set border 3
set lmargin at screen 0.5
set rmargin at screen 0.98
set bmargin at screen 0.55
set xrange [0:16]
set yrange [-0.2:3.8]
set xlabel ''
set ylabel 'voltage (V)' textcolor rgb '#333333'
set key top right horizontal
plot file using 1:2 with lines linecolor rgb grey linewidth 1.4 title 'input', \
     file using 1:3 with lines linecolor rgb blue linewidth 2 title 'output'
set tmargin at screen 0.46
set bmargin at screen 0.09
set autoscale y
set xlabel 't (ns)'
set ylabel 'current (µA)'
plot file using 1:4 with lines linecolor rgb green linewidth 1.6 title 'n', \
     file using 1:5 with lines linecolor rgb purple linewidth 1.6 title 'p'
unset multiplot
