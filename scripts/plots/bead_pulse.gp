# SPDX-License-Identifier: MIT
# A column of beads kicked at its foot: height, push, forces along the column, energy.
# gnuplot -c bead_pulse.gp DIR reads DIR/bead_pulse.csv and writes DIR/bead_pulse.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/bead_pulse.csv'
set output dir.'/bead_pulse.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title '20 beads of 0.1 kg kicked at the foot, restitution 0.3, steps of 0.1 ms' font ',19'
set xlabel 't (s)'
set xrange [0:0.4]
cm(name) = 100 * column(name)
set key off
set ylabel 'height of the foot above the ground (cm)'
set yrange [-0.2:5]
plot file using 'time (s)':(cm('foot (m)')) with lines linecolor rgb blue linewidth 1.8

set key top right on
set xlabel 't (ms)'
set xrange [0:30]
set ylabel 'force (N)'
set yrange [0:220]
ms = 1e3
plot file using (ms * $1):'push (N)' with lines linecolor rgb orange linewidth 1.8 title 'push', \
     for [i=1:16:5] file using (ms * $1):(column(4 + i)) with lines linewidth 1.6 \
       linecolor i title (i == 1 ? 'ground' : sprintf('below bead %d', i))

set xlabel 't (s)'
set xrange [0:0.4]
set ylabel 'reaction of the ground (N)'
set format y '10^{%T}'
set logscale y
set yrange [1:1e5]
plot file using 'time (s)':(column('contact 1 (N)') > 0 ? column('contact 1 (N)') : NaN) \
       with points pointtype 7 pointsize 0.7 linecolor rgb blue title 'mean of a step', \
     19.62 with lines dashtype 2 linewidth 1.4 linecolor rgb grey title 'weight'
unset logscale y
set format y

set key off
set ylabel 'energy above rest (J)'
set yrange [0:1]
plot file using 'time (s)':'energy (J)' with lines linecolor rgb 'black' linewidth 1.8
unset multiplot
