# SPDX-License-Identifier: MIT
# A block is pulled off the ground it is glued to: forces, damage, energy taken, opening.
# gnuplot -c cohesive_block.gp DIR reads DIR/cohesive_block.csv and writes DIR/cohesive_block.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/cohesive_block.csv'
set output dir.'/cohesive_block.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title 'Block of 128 elements, glued to the ground, pulled off' font ',19'
set xlabel 't (ms)'
set xrange [0:5]
set key top right
set ylabel 'force (kN)'
set yrange [-0.2:3.5]
plot file using 'time (ms)':'load (kN)' with lines linecolor rgb grey linewidth 1.8 title 'load', \
     file using 'time (ms)':'foot (kN)' with lines linecolor rgb blue linewidth 1.8 title 'foot'
set key off
set ylabel 'intact (mean)'
set yrange [-0.05:1.05]
plot file using 'time (ms)':'intact' with lines linecolor rgb green linewidth 1.8
set key center left
set ylabel 'energy taken by opening (J)'
set yrange [-0.01:0.22]
plot 0.2 with lines linecolor rgb yellow linewidth 3 title 'G_c A', \
     file using 'time (ms)':'taken (J)' with lines linecolor rgb purple linewidth 1.8 notitle
set key top left
set ylabel 'opening (mm)'
set yrange [-0.01:0.4]
plot file using 'time (ms)':'opening edge (mm)' with lines linecolor rgb orange linewidth 1.8 title 'edge', \
     file using 'time (ms)':'opening middle (mm)' with lines linecolor rgb blue linewidth 1.8 title 'middle'
unset multiplot
