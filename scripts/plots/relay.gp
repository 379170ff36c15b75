# SPDX-License-Identifier: MIT
# A relay that brings its state to 0 and keeps it there.
# gnuplot -c relay.gp DIR reads DIR/relay.csv and writes DIR/relay.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/relay.csv'
set output dir.'/relay.png'
set multiplot layout 2,1 margins 0.085,0.98,0.08,0.93 spacing 0.1,0.11 \
  title 'One relay, dx/dt = λ ∈ -Sgn x, steps of 0.03 s' font ',19'
set xlabel 't (s)'
set xrange [0:1.5]
set key top right on
set ylabel 'x'
set yrange [-0.1:1.1]
plot x < 1 ? 1 - x : 0 with lines dashtype 2 linewidth 1.8 linecolor rgb orange title 'exact', \
     file using 'time (s)':'x' with points pointtype 7 pointsize 0.8 linecolor rgb blue title 'steps'
set key off
set ylabel 'λ'
set yrange [-1.1:0.1]
plot file using 'time (s)':'lambda' with points pointtype 7 pointsize 0.8 linecolor rgb blue
unset multiplot
