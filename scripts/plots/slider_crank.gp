# SPDX-License-Identifier: MIT
# A slider-crank with clearance, its crank free: gaps of the four corners, speed of the crank, energy.
# gnuplot -c slider_crank.gp DIR reads DIR/slider_crank.csv and writes DIR/slider_crank.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/slider_crank.csv'
set output dir.'/slider_crank.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title 'Slider-crank with a clearance of 1 mm: friction 0.01, restitution 0.4' font ',19'
set xlabel 'crank (turns)'
turns(name) = column(name) / (2 * pi)
set xrange [0:1.9]
set key top right on
set ylabel 'gap (mm)'
set yrange [-0.1:3]
plot file using (turns('crank (rad)')):'gap 1 (mm)' with lines linecolor rgb blue linewidth 4 title 'rear, top', \
     file using (turns('crank (rad)')):'gap 2 (mm)' with lines linecolor rgb orange linewidth 1.5 title 'front, top'
plot file using (turns('crank (rad)')):'gap 3 (mm)' with lines linecolor rgb green linewidth 4 title 'rear, bottom', \
     file using (turns('crank (rad)')):'gap 4 (mm)' with lines linecolor rgb purple linewidth 1.5 title 'front, bottom'
set autoscale y
set ylabel 'speed of the crank (rad/s)'
set key off
plot file using (turns('crank (rad)')):'crank speed (rad/s)' with lines linecolor rgb blue linewidth 1.5
set ylabel 'energy (J)'
plot file using (turns('crank (rad)')):'energy (J)' with lines linecolor rgb purple linewidth 1.8
unset multiplot
