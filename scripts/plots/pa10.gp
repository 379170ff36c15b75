# SPDX-License-Identifier: MIT
# A robot arm falls on the ground: angles, heights, energy.
# gnuplot -c pa10.gp DIR reads DIR/pa10.csv and writes DIR/pa10.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/pa10.csv'
set output dir.'/pa10.png'
set multiplot layout 3,1 margins 0.09,0.97,0.08,0.93 spacing 0.02,0.06 \
  title 'PA10 falls on the ground: restitution 0.9, motors off' font ',19'
set xrange [0:3.5]
set key top left on
set ylabel 'angle (rad)'
plot file using 'time (s)':'upper arm (rad)' with lines linecolor rgb blue linewidth 1.8 title 'upper arm', \
     file using 'time (s)':'forearm (rad)' with lines linecolor rgb orange linewidth 1.8 title 'forearm', \
     file using 'time (s)':'hand (rad)' with lines linecolor rgb green linewidth 1.8 title 'hand'

set key top right on
set ylabel 'height (m)'
plot file using 'time (s)':'elbow (m)' with lines linecolor rgb blue linewidth 1.8 title 'elbow', \
     file using 'time (s)':'wrist (m)' with lines linecolor rgb orange linewidth 1.8 title 'wrist'

set xlabel 't (s)'
set ylabel 'energy (J)'
set key off
plot file using 'time (s)':'energy (J)' with lines linecolor rgb purple linewidth 1.8
unset multiplot
