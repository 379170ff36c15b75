# SPDX-License-Identifier: MIT
# A woodpecker toy: descent, angles, impulses, limit cycle.
# gnuplot -c woodpecker.gp DIR reads DIR/woodpecker.csv and writes DIR/woodpecker.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/woodpecker.csv'
set output dir.'/woodpecker.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title 'Woodpecker toy: three contacts with friction, steps of 20 µs' font ',19'
set xlabel 't (s)'
set xrange [0:0.6]
cm(name) = 100 * column(name)
set key off
set ylabel 'height of the sleeve (cm)'
set yrange [-9:0.5]
plot file using 'time (s)':(cm('height (m)')) with lines linecolor rgb blue linewidth 1.8

set key top right on
set ylabel 'angle (rad)'
set yrange [-0.6:0.4]
plot file using 'time (s)':'bird (rad)' with lines linecolor rgb orange linewidth 1.6 title 'bird', \
     file using 'time (s)':'sleeve (rad)' with lines linecolor rgb blue linewidth 1.6 title 'sleeve'

set ylabel 'normal force, mean of 0.2 ms (N)'
set logscale y
set yrange [1e-2:100]
force(name) = column(name) > 0 ? column(name) : NaN
plot file using 'time (s)':(force('lower edge (N)')) \
       with points pointtype 7 pointsize 0.4 linecolor rgb blue title 'lower edge', \
     file using 'time (s)':(force('upper edge (N)')) \
       with points pointtype 7 pointsize 0.4 linecolor rgb orange title 'upper edge', \
     file using 'time (s)':(force('beak (N)')) \
       with points pointtype 7 pointsize 1 linecolor rgb green title 'beak'
unset logscale y

set key off
set xlabel 'angle of the bird (rad)'
set xrange [-0.6:0.2]
set ylabel 'its rate (rad/s)'
set yrange [-25:25]
plot file using 'bird (rad)':'rate of the bird (rad/s)' with lines linecolor rgb purple linewidth 1
unset multiplot
