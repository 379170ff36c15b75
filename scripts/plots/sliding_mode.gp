# SPDX-License-Identifier: MIT
# A sliding-mode controller, implicit and explicit: state, surface, control.
# gnuplot -c sliding_mode.gp DIR reads DIR/sliding_mode.csv and writes DIR/sliding_mode.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/sliding_mode.csv'
set output dir.'/sliding_mode.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title 'Sliding mode, discretised implicitly and explicitly, steps of 1 ms' font ',19'
set xlabel 't (s)'
set xrange [0:5]
set key top right on
set ylabel 'state'
set yrange [-2.2:3.4]
plot file using 'time (s)':'x1 (m)' with lines linecolor rgb blue linewidth 1.8 title 'x_1 (m)', \
     file using 'time (s)':'x2 (m/s)' with lines linecolor rgb orange linewidth 1.6 title 'x_2 (m/s)', \
     file using 'time (s)':'disturbance (N)' \
       with lines dashtype 2 linecolor rgb grey linewidth 1.2 title 'disturbance (N)'

set ylabel 'distance from the surface, |σ| (m/s)'
set logscale y
set format y '10^{%T}'
set yrange [1e-19:10]
size(name) = column(name) == 0 ? 1e-19 : abs(column(name))
plot file using 'time (s)':(size('explicit s (m/s)')) \
       with points pointtype 7 pointsize 0.2 linecolor rgb orange title 'explicit', \
     file using 'time (s)':(size('s (m/s)')) \
       with points pointtype 7 pointsize 0.3 linecolor rgb blue title 'implicit (0: 10^{-19})'
unset logscale y
set format y

set key off
set yrange [-6:6]
set ylabel 'implicit control (N)'
plot file using 'time (s)':'u (N)' with lines linecolor rgb blue linewidth 1.6
set ylabel 'explicit control (N)'
plot file using 'time (s)':'explicit u (N)' with lines linecolor rgb orange linewidth 0.6
unset multiplot
