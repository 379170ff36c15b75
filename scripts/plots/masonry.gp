# SPDX-License-Identifier: MIT
# A dry wall is pushed along its top course: speeds, forces on the ground.
# gnuplot -c masonry.gp DIR reads DIR/masonry.csv and writes DIR/masonry.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/masonry.csv'
set output dir.'/masonry.png'
set multiplot layout 2,1 margins 0.09,0.97,0.09,0.93 spacing 0.02,0.09 \
  title 'Dry wall of 13 bricks, pushed along its top course from 0.1 s on' font ',19'
set xrange [0:0.3]
set key top left
set ylabel 'speed (m/s)'
exact(t) = t > 0.1 ? 0.2 * 0.6 * 9.80665 * (t - 0.1) : 0
set samples 2000
plot exact(x) with lines linecolor rgb yellow linewidth 6 title 'top, exact', \
     file using 'time (s)':'top (m/s)' with lines linecolor rgb blue linewidth 1.8 title 'top', \
     file using 'time (s)':'middle (m/s)' with lines linecolor rgb orange linewidth 1.8 title 'middle', \
     file using 'time (s)':'bottom (m/s)' with lines linecolor rgb green linewidth 1.8 title 'bottom'
set xlabel 't (s)'
set ylabel 'force of the ground (N)'
set yrange [-5:18]
set key center right
plot file using 'time (s)':'up (N)' with lines linecolor rgb purple linewidth 1.8 title 'up', \
     file using 'time (s)':'along (N)' with lines linecolor rgb sky linewidth 1.8 title 'along the wall'
unset multiplot
