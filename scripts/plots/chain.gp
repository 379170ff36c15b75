# SPDX-License-Identifier: MIT
# A chain of 50 bodies is let go: snapshots, energy.
# gnuplot -c chain.gp DIR reads DIR/chain.csv and writes DIR/chain.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/chain.csv'
set output dir.'/chain.png'
set multiplot layout 1,2 margins 0.075,0.98,0.09,0.92 spacing 0.1,0.1 \
  title 'Chain of 50 bodies, every 0.05 s from level (blue) on: pivots with dry friction' font ',19'
set key off
set xlabel 'x (m)'
set ylabel 'z (m)'
set palette defined (0 '#56b4e9', 1 '#0072b2', 2 '#d55e00')
unset colorbox
plot file using 'x (m)':'z (m)':'time (s)' with lines linecolor palette linewidth 1.5
set key top left on
set xlabel 't (s)'
set ylabel 'energy (J)'
plot file using 'time (s)':'lost (J)' with points pointtype 7 linecolor rgb purple title 'lost', \
     file using 'time (s)':'friction (J)' with points pointtype 7 linecolor rgb orange title 'taken by friction'
unset multiplot
