# SPDX-License-Identifier: MIT
# The chaotic motion of a follower on a cam, by events and by time-stepping: impact map and
# stroboscopic map. gnuplot -c cam_attractor.gp DIR reads DIR/cam_attractor.csv and writes
# DIR/cam_attractor.png.
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/cam_attractor.csv'
set output dir.'/cam_attractor.png'
set multiplot layout 2,2 columnsfirst margins 0.075,0.975,0.075,0.92 spacing 0.085,0.12 \
  title 'Follower on a cam at 660 turns/min: impacts and turns, by events (left) and by steps of 0.1 ms (right)' \
  font ',19'
set key off
pick(m, s, x) = (column('map') == m && column('strategy') == s) ? x : NaN
do for [s = 0:1] {
  color = s == 0 ? blue : orange
  set xlabel 'angle of the cam at the impact (deg)'
  set ylabel 'velocity over the cam after it (m/s)'
  set xrange [0:360]
  set xtics 60
  set yrange [0:*]
  plot file using (pick(0, s, column('x (deg or m)'))):'y (m/s)' \
         with points pointtype 7 pointsize 0.1 linecolor rgb color
  set xlabel 'height at the beginning of a turn (m)'
  set ylabel 'velocity (m/s)'
  set xrange [0:*]
  set xtics autofreq
  set yrange [*:*]
  plot file using (pick(1, s, column('x (deg or m)'))):'y (m/s)' \
         with points pointtype 7 pointsize 0.1 linecolor rgb color
}
unset multiplot
