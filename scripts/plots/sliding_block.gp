# SPDX-License-Identifier: MIT
# A block that slides over a table: path, speed, way, friction.
# gnuplot -c sliding_block.gp DIR reads DIR/sliding_block.csv and writes DIR/sliding_block.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/sliding_block.csv'
set output dir.'/sliding_block.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title 'Block on a table: 2 kg at 1.5 m/s, µ = 0.25, steps of 1 ms' font ',19'
set key off
set xlabel 'x (m)'
set xrange [0:0.4]
set ylabel 'y (m)'
set yrange [0:0.3]
plot file using 'x (m)':'y (m)' with lines linecolor rgb purple linewidth 1.8

v0 = 1.5
d = 0.25 * 9.81
stop = v0 / d
set samples 400
set key top right on
set xlabel 't (s)'
set xrange [0:1]
set ylabel 'speed (m/s)'
set yrange [0:1.6]
plot file using 'time (s)':'speed (m/s)' with lines linecolor rgb blue linewidth 1.8 title 'simulated', \
     x < stop ? v0 - d * x : 0 with lines dashtype 2 linewidth 1.8 linecolor rgb orange title 'exact'

set key bottom right
set ylabel 'way (m)'
set yrange [0:0.5]
plot file using 'time (s)':(sqrt(column('x (m)')**2 + column('y (m)')**2)) \
       with lines linecolor rgb blue linewidth 1.8 title 'simulated', \
     x < stop ? v0 * x - d * x**2 / 2 : v0**2 / (2 * d) \
       with lines dashtype 2 linewidth 1.8 linecolor rgb orange title 'exact'

set key off
set ylabel 'friction (N)'
set yrange [0:6]
plot file using 'time (s)':'friction (N)' with lines linecolor rgb green linewidth 1.8
unset multiplot
