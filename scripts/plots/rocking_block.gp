# SPDX-License-Identifier: MIT
# A block that rocks to rest: angle, angular velocity, energy.
# gnuplot -c rocking_block.gp DIR reads DIR/rocking_block.csv and writes DIR/rocking_block.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/rocking_block.csv'
set output dir.'/rocking_block.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title 'A block of 0.2 m × 0.8 m rocks on a floor without friction' font ',19'
set key off
set xlabel 't (s)'
set xrange [0:1]
set ylabel 'angle (rad)'
plot file using 'time (s)':'angle (rad)' with lines linecolor rgb blue linewidth 1.8
set ylabel 'angular velocity (rad/s)'
plot file using 'time (s)':'angular velocity (rad/s)' with lines linecolor rgb orange linewidth 1.6
set ylabel 'energy above rest (J)'
set logscale y
set yrange [1e-6:1]
set format y '10^{%T}'
plot file using 'time (s)':(column('energy (J)') > 1e-9 ? column('energy (J)') : NaN) \
  with lines linecolor rgb green linewidth 1.8
unset logscale y
set format y '%g'
set xlabel 'angle (rad)'
set xrange [-0.16:0.16]
set yrange [-2:2]
set ylabel 'angular velocity (rad/s)'
plot file using 'angle (rad)':'angular velocity (rad/s)' with lines linecolor rgb purple linewidth 1.6
unset multiplot
