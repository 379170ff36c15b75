# SPDX-License-Identifier: MIT
# A bouncing ball: position, velocity, reaction, energy.
# gnuplot -c ball.gp DIR reads DIR/ball.csv and writes DIR/ball.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/ball.csv'
set output dir.'/ball.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.09,0.11 \
  title 'Bouncing ball: 1 kg dropped from 1 m, restitution 0.9, steps of 5 ms' font ',19'
set xrange [0:10]
set xlabel 't (s)'

set key off
set ylabel 'position (m)'
set yrange [0:1.05]
plot file using 'time (s)':'position (m)' with lines linecolor rgb blue linewidth 1.6

set ylabel 'velocity (m/s)'
set yrange [-5:5]
plot file using 'time (s)':'velocity (m/s)' with lines linecolor rgb orange linewidth 1.6

# Forces of impacts stand alone, forces at rest follow one another.
set key top right on
set ylabel 'mean reaction of a step (N)'
set logscale y
set yrange [1:5000]
weight = 9.81
impact(f) = f > 1.5 * weight ? f : NaN
rest(f) = f > 0 && f <= 1.5 * weight ? f : NaN
plot file using 'time (s)':(impact(column('reaction (N)'))) \
       with impulses linecolor rgb sky linewidth 1 notitle, \
     file using 'time (s)':(impact(column('reaction (N)'))) \
       with points pointtype 7 pointsize 0.7 linecolor rgb blue title 'impacts', \
     file using 'time (s)':(rest(column('reaction (N)'))) \
       with lines linecolor rgb orange linewidth 3 title 'rest', \
     weight with lines dashtype 2 linewidth 1.4 linecolor rgb grey title 'weight, 9.81 N'
unset logscale y

set ylabel 'energy (J)'
set yrange [0:10.5]
plot file using 'time (s)':'potential energy (J)' \
       with lines linecolor rgb blue linewidth 1.2 title 'potential', \
     file using 'time (s)':'kinetic energy (J)' \
       with lines linecolor rgb orange linewidth 1.2 title 'kinetic', \
     file using 'time (s)':'total energy (J)' \
       with lines linecolor rgb 'black' linewidth 1.8 title 'total'
unset multiplot
