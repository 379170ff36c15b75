# SPDX-License-Identifier: MIT
# The twisting controller: path, distance, control.
# gnuplot -c twisting.gp DIR reads DIR/twisting.csv and writes DIR/twisting.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/twisting.csv'
set output dir.'/twisting.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title 'Twisting controller, discretised implicitly, steps of 1 ms' font ',19'
set key off
set xlabel 'x_1 (m)'
set xrange [-0.5:1.1]
set ylabel 'x_2 (m/s)'
set yrange [-2.2:1.6]
plot file using 'x1 (m)':'x2 (m/s)' with lines linecolor rgb purple linewidth 1.8

set key top right on
set xlabel 't (s)'
set xrange [0:8]
set ylabel 'state'
set yrange [-2.2:1.6]
plot file using 'time (s)':'x1 (m)' with lines linecolor rgb blue linewidth 1.8 title 'x_1 (m)', \
     file using 'time (s)':'x2 (m/s)' with lines linecolor rgb orange linewidth 1.6 title 'x_2 (m/s)'

set ylabel 'distance from the origin'
set logscale y
set format y '10^{%T}'
set yrange [1e-20:10]
size(name) = column(name) == 0 ? 1e-20 : abs(column(name))
plot file using 'time (s)':(size('x1 (m)')) \
       with points pointtype 7 pointsize 0.3 linecolor rgb blue title '|x_1| (m), 0: 10^{-20}', \
     file using 'time (s)':(size('x2 (m/s)')) \
       with points pointtype 7 pointsize 0.3 linecolor rgb orange title '|x_2| (m/s)'
unset logscale y
set format y

set ylabel 'force (N)'
set yrange [-7:9]
plot file using 'time (s)':'u (N)' with lines linecolor rgb blue linewidth 1.6 title 'control', \
     file using 'time (s)':(-column('disturbance (N)')) \
       with lines dashtype 2 linecolor rgb orange linewidth 1.4 title 'minus disturbance'
unset multiplot
