# SPDX-License-Identifier: MIT
# Two coupled relays: the path, the norm, the states, the relays.
# gnuplot -c relay_spiral.gp DIR reads DIR/relay_spiral.csv and writes DIR/relay_spiral.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/relay_spiral.csv'
set output dir.'/relay_spiral.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title 'Two coupled relays spiral into the origin in finite time, steps of 10 µs' font ',19'
set key off
set xlabel 'x_1'
set xrange [-0.4:1.05]
set ylabel 'x_2'
set yrange [-0.9:0.2]
plot file using 'x1':'x2' with lines linecolor rgb purple linewidth 1.8

set key bottom left on
set xlabel 't (s)'
set xrange [0:0.8]
set ylabel '|x_1| + |x_2|'
set yrange [1e-5:2]
set logscale y
set format y '10^{%T}'
plot file using 'time (s)':(abs(column('x1')) + abs(column('x2'))) \
       with lines linecolor rgb blue linewidth 1.8 title 'simulated', \
     1.5 - 2 * x with lines dashtype 2 linewidth 1.8 linecolor rgb orange title 'exact, 2 less a second'
unset logscale y
set format y

set key top right
set ylabel 'state'
set yrange [-1:1]
plot file using 'time (s)':'x1' with lines linecolor rgb blue linewidth 1.6 title 'x_1', \
     file using 'time (s)':'x2' with lines linecolor rgb orange linewidth 1.6 title 'x_2'

set ylabel 'relays'
set yrange [-1.2:1.6]
plot file using 'time (s)':'lambda1' with lines linecolor rgb blue linewidth 1.6 title 'λ_1', \
     file using 'time (s)':'lambda2' with lines linecolor rgb orange linewidth 1.6 title 'λ_2'
unset multiplot
