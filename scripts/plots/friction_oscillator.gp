# SPDX-License-Identifier: MIT
# A mass on a spring that rubs on a table: position, forces, phases, energy.
# gnuplot -c friction_oscillator.gp DIR reads DIR/friction_oscillator.csv and writes DIR/friction_oscillator.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/friction_oscillator.csv'
set output dir.'/friction_oscillator.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title 'Mass on a spring with dry friction: 1 kg, 100 N/m, µ = 0.1, steps of 0.1 ms' font ',19'
set xrange [0:4]
set xlabel 't (s)'
cm(name) = 100 * column(name)
band = 100 * 0.1 * 9.81 / 100
w = 10.0

set key top right on
set ylabel 'position (cm)'
set yrange [-21:26]
plot file using 'time (s)':(cm('position (m)')) \
       with lines linecolor rgb blue linewidth 1.8 title 'position', \
     x < pi ? 20 - 2 * band * x * w / pi : NaN with lines dashtype 2 linewidth 1.6 linecolor rgb orange \
       title 'exact: 4µMg/K less a cycle', \
     [0:4] band with lines linecolor rgb grey linewidth 1.2 title 'band of rest, ±µMg/K', \
     [0:4] -band with lines linecolor rgb grey linewidth 1.2 notitle

set ylabel 'force (N)'
set xrange [2:4]
set yrange [-3:4.5]
plot file using 'time (s)':'friction (N)' \
       with lines linecolor rgb orange linewidth 1.6 title 'friction', \
     file using 'time (s)':'spring (N)' with lines linecolor rgb blue linewidth 1.2 title 'spring'

set key off
set xlabel 'position (cm)'
set xrange [-20:20]
set ylabel 'velocity (m/s)'
set yrange [-2:2]
plot file using (cm('position (m)')):'velocity (m/s)' with lines linecolor rgb purple linewidth 1.6

set xlabel 't (s)'
set xrange [0:4]
set ylabel 'energy (J)'
set yrange [0:2.1]
plot file using 'time (s)':'energy (J)' with lines linecolor rgb 'black' linewidth 1.8
unset multiplot
