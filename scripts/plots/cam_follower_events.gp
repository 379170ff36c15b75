# SPDX-License-Identifier: MIT
# A follower on a cam at three speeds, by events and by time-stepping: height, and state space.
# gnuplot -c cam_follower_events.gp DIR reads DIR/cam_follower_events.csv and writes
# DIR/cam_follower_events.png.
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/cam_follower_events.csv'
set output dir.'/cam_follower_events.png'
set multiplot layout 3,2 margins 0.075,0.975,0.085,0.93 spacing 0.07,0.085 \
  title 'Follower on a cam by events (lines) and by steps of 0.1 ms (dashes)' font ',19'
at(rpm, x) = column('speed (turns/min)') == rpm ? x : NaN
do for [rpm in '358 660 700'] {
  last = rpm eq '700'
  set xlabel last ? 't (s)' : ''
  set ylabel 'height at '.rpm.'/min (m)'
  set xrange [0:1.5]
  if (rpm eq '358') { set key top right horizontal } else { unset key }
  plot file using 'time (s)':(at(rpm + 0, column('lift (m)'))) \
         with filledcurves y1=0 fillstyle transparent solid 0.35 linecolor rgb grey title 'cam', \
       file using 'time (s)':(at(rpm + 0, column('events (m)'))) \
         with lines linecolor rgb blue linewidth 1.8 title 'events', \
       file using 'time (s)':(at(rpm + 0, column('steps (m)'))) \
         with lines dashtype (6,5) linecolor rgb orange linewidth 1.8 title 'steps'
  unset key
  set xlabel last ? 'height (m)' : ''
  set ylabel 'velocity (m/s)'
  set xrange [*:*]
  plot file using (at(rpm + 0, column('events (m)'))):'events (m/s)' \
         with lines linecolor rgb blue linewidth 1.0, \
       file using (at(rpm + 0, column('steps (m)'))):'steps (m/s)' \
         with lines dashtype (6,5) linecolor rgb orange linewidth 0.8
}
unset multiplot
