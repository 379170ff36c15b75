# SPDX-License-Identifier: MIT
# Two switches that fight each other: the way in the plane, states, multiplier.
# gnuplot -c sliding_relay.gp DIR reads DIR/sliding_relay.csv and writes DIR/sliding_relay.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/sliding_relay.csv'
set output dir.'/sliding_relay.png'
set multiplot layout 1,3 margins 0.06,0.985,0.12,0.88 spacing 0.07,0.1 \
  title "Filippov's sliding mode: x' = -2 if x > y, else 2; y' = -3 if y > x, else 1.5" font ',19'
set key off
set xlabel 'x'
set ylabel 'y'
set xrange [0.8:1.6]
set yrange [0.8:1.6]
plot x with lines dashtype 2 linewidth 1.4 linecolor rgb grey, \
     file using 'x':'y' with lines linecolor rgb purple linewidth 2
set xlabel 't (s)'
set xrange [0:1]
set key top right on
set ylabel 'x, y'
plot file using 'time (s)':'x' with lines linecolor rgb blue linewidth 2 title 'x', \
     file using 'time (s)':'y' with lines linecolor rgb orange linewidth 2 title 'y'
set key off
set ylabel 'multiplier λ'
set yrange [-1.1:1.1]
set arrow 1 from 0.2,-0.1764706 to 1,-0.1764706 nohead dashtype 2 linecolor rgb grey
set label 1 '−3/17' at 0.8,-0.08
plot file using 'time (s)':'lambda' with lines linecolor rgb green linewidth 2
unset multiplot
