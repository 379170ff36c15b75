# SPDX-License-Identifier: MIT
# A follower on a cam: its motion at many speeds of the cam.
# gnuplot -c cam_bifurcation.gp DIR reads DIR/cam_bifurcation.csv and writes DIR/cam_bifurcation.png.
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/cam_bifurcation.csv'
set output dir.'/cam_bifurcation.png'
set multiplot layout 3,1 margins 0.085,0.97,0.085,0.94 spacing 0.09,0.07 \
  title 'Follower on a cam: 80 turns after a transient of 200, by speed of the cam' font ',19'
set key off
stats file using 'speed (turns/min)' nooutput
set xrange [STATS_min:STATS_max]
set style line 1 linecolor rgb blue pointtype 7 pointsize 0.12

set ylabel 'height over the cam (m)'
set yrange [-0.1:3.2]
plot file using 'speed (turns/min)':'height (m)' with points linestyle 1

set ylabel 'velocity over the cam (m/s)'
set yrange [*:*]
plot file using 'speed (turns/min)':'velocity (m/s)' with points linestyle 1

set ylabel 'impacts in a turn'
set xlabel 'speed of the cam (turns/min)'
set logscale y
set yrange [0.7:200]
plot file using 'speed (turns/min)':'impacts' with points linestyle 1 linecolor rgb orange
unset multiplot
