# SPDX-License-Identifier: MIT
# A ball is thrown, bounces, slides and rolls: height, speeds, energy.
# gnuplot -c rolling_ball.gp DIR reads DIR/rolling_ball.csv and writes DIR/rolling_ball.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/rolling_ball.csv'
set output dir.'/rolling_ball.png'
set multiplot layout 3,1 margins 0.09,0.97,0.08,0.93 spacing 0.02,0.06 \
  title 'A ball bounces, slides and rolls: friction 0.08, restitution 0.6' font ',19'
set xrange [0:2.5]
set key off
set ylabel 'height (m)'
plot file using 'time (s)':'height (m)' with lines linecolor rgb blue linewidth 1.8
set key center right on
set ylabel 'm/s'
plot file using 'time (s)':'speed (m/s)' with lines linecolor rgb blue linewidth 1.8 title 'speed', \
     file using 'time (s)':'rate (m/s)' with lines linecolor rgb orange linewidth 1.8 title 'R ω'
set xlabel 't (s)'
set ylabel 'energy (J)'
set key off
plot file using 'time (s)':'energy (J)' with lines linecolor rgb purple linewidth 1.8
unset multiplot
