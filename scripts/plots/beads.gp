# SPDX-License-Identifier: MIT
# A column of 1000 beads: trajectories, the lowest beads, reaction of the ground, energy.
# gnuplot -c beads.gp DIR reads DIR/beads.csv and writes DIR/beads.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/beads.csv'
set output dir.'/beads.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.09,0.11 \
  title '1000 beads fall and pile up: 1 kg and 0.2 m each, restitution 0.9, steps of 0.5 ms' \
  font ',19'
set palette defined (0 blue, 0.35 green, 0.7 yellow, 1 orange)
unset colorbox
set xlabel 't (s)'
set xrange [0:5]

set key off
set ylabel 'height (m)'
set yrange [0:255]
set label 1 'every 50th bead' at graph 0.97,0.95 right
plot for [i=11:30] file using 1:i:(i) with lines linewidth 1.4 linecolor palette

set xrange [0.3:0.9]
set yrange [0:2.2]
set label 1 'the lowest 8 beads'
plot for [i=2:9] file using 1:i:(i) with lines linewidth 1.4 linecolor palette
unset label 1

# Means over 40 ms. A pile that takes up what falls on it at once carries its weight and the
# momentum that arrives: n beads with g t^2/2 = 0.9 m + n 0.05 m, m g n + m g t dn/dt.
kN(name) = column(name) / 1e3
bin(t) = (floor(t / 0.04) + 0.5) * 0.04
n(t) = (4.905 * t**2 - 0.9) / 0.05
pile(t) = n(t) < 0 || n(t) > 1000 ? NaN : 9.81e-3 * (n(t) + 9.81 * t**2 / 0.05)
set key top right on
set ylabel 'reaction of the ground (kN)'
set xrange [0:5]
set yrange [0:40]
set samples 500
plot file using (bin($1)):(kN('reaction of the ground (N)')) smooth unique \
       with steps linecolor rgb blue linewidth 1.3 title 'mean of 40 ms', \
     pile(x) with lines linecolor rgb orange linewidth 1.8 title 'pile without rebound', \
     9.81 with lines dashtype 2 linewidth 1.6 linecolor rgb grey title 'weight of all beads'

MJ(name) = column(name) / 1e6
set ylabel 'energy (MJ)'
set yrange [0:1.6]
plot file using 1:(MJ('potential energy (J)')) \
       with lines linecolor rgb blue linewidth 1.4 title 'potential', \
     file using 1:(MJ('kinetic energy (J)')) \
       with lines linecolor rgb orange linewidth 1.4 title 'kinetic', \
     file using 1:(MJ('total energy (J)')) \
       with lines linecolor rgb 'black' linewidth 1.8 title 'total'
unset multiplot
