# SPDX-License-Identifier: MIT
# A bouncing ball by events and by time-stepping: height, errors of both.
# gnuplot -c bouncing_ball_events.gp DIR reads DIR/bouncing_ball_events.csv and writes DIR/bouncing_ball_events.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/bouncing_ball_events.csv'
set output dir.'/bouncing_ball_events.png'
set multiplot layout 2,1 margins 0.085,0.98,0.08,0.93 spacing 0.09,0.11 \
  title 'One ball, two strategies: dropped from 1 m, restitution 0.8' font ',19'
set xrange [0:5]
set xlabel 't (s)'
set arrow 1 from 4.06371277,graph 0 to 4.06371277,graph 1 nohead dashtype 2 linecolor rgb grey
set key off
set ylabel 'height (m)'
set yrange [0:1.05]
plot file using 'time (s)':'height (m)' with lines linecolor rgb blue linewidth 1.6

set key center right on
set ylabel 'error of the height (m)'
set logscale y
set yrange [1e-17:0.1]
set format y '10^{%T}'
seen(x) = x > 1e-17 ? x : 1e-17
plot file using 'time (s)':(seen(column('error by steps (m)'))) \
       with lines linecolor rgb orange linewidth 1.4 title 'Moreau-Jean, h = 1/4096 s', \
     file using 'time (s)':(seen(column('error by events (m)'))) \
       with lines linecolor rgb blue linewidth 1.4 title 'by events', \
     NaN with lines dashtype 2 linecolor rgb grey title 'impacts accumulate'
unset multiplot
