# SPDX-License-Identifier: MIT
# A diode bridge rectifier: oscillator, resistor, diodes, energy.
# gnuplot -c bridge.gp DIR reads DIR/bridge.csv and writes DIR/bridge.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/bridge.csv'
set output dir.'/bridge.png'
set multiplot layout 3,2 margins 0.075,0.98,0.07,0.93 spacing 0.13,0.09 \
  title 'Diode bridge: LC oscillator (10 mH, 1 µF, 10 V) feeding 1 kΩ, steps of 1 µs' font ',19'
set xrange [0:5]
set ytics 4
ms(name) = 1e3 * column(name)
mA(name) = 1e3 * column(name)

set key off
set xlabel 't (ms)' offset 0,0.5
set ylabel 'capacitor voltage (V)' textcolor rgb blue
set yrange [-12:12]
set border 11
set y2label 'inductor current (mA)' textcolor rgb orange
set y2range [-120:120]
set y2tics 40 out scale 0.6
plot file using (ms('time (s)')):'capacitor voltage (V)' \
       with lines linecolor rgb blue linewidth 1.6, \
     file using (ms('time (s)')):(mA('inductor current (A)')) axes x1y2 \
       with lines linecolor rgb orange linewidth 1.6
unset y2label
unset y2tics
set border 3
set ylabel textcolor rgb 'black'

set key top right on
set ylabel 'voltage (V), current (mA)'
set yrange [0:12]
plot file using (ms('time (s)')):'resistor voltage (V)' \
       with filledcurves y1=0 linecolor rgb green notitle, \
     file using (ms('time (s)')):'resistor voltage (V)' \
       with lines linecolor rgb green linewidth 1.6 title 'resistor'

set key bottom right
set ylabel 'diode voltages (V)'
set yrange [-12:2]
plot file using (ms('time (s)')):'diode F1 voltage (V)' \
       with lines linecolor rgb blue linewidth 1.6 title 'F1', \
     file using (ms('time (s)')):'diode F2 voltage (V)' \
       with lines linecolor rgb sky linewidth 2 dashtype (6,10) title 'F2', \
     file using (ms('time (s)')):'diode R1 voltage (V)' \
       with lines linecolor rgb orange linewidth 1.6 title 'R1', \
     file using (ms('time (s)')):'diode R2 voltage (V)' \
       with lines linecolor rgb yellow linewidth 2 dashtype (6,10) title 'R2'

set key top right
set ylabel 'diode currents (mA)'
set yrange [-1:12]
plot file using (ms('time (s)')):(mA('diode F1 current (A)')) \
       with lines linecolor rgb blue linewidth 1.6 title 'F1', \
     file using (ms('time (s)')):(mA('diode F2 current (A)')) \
       with lines linecolor rgb sky linewidth 2 dashtype (6,10) title 'F2', \
     file using (ms('time (s)')):(mA('diode R1 current (A)')) \
       with lines linecolor rgb orange linewidth 1.6 title 'R1', \
     file using (ms('time (s)')):(mA('diode R2 current (A)')) \
       with lines linecolor rgb yellow linewidth 2 dashtype (6,10) title 'R2'

set key off
set xlabel 'capacitor voltage (V)'
set xrange [-12:12]
set xtics 4
set ylabel 'inductor current (mA)'
set yrange [-120:120]
set ytics 40
plot file using 'capacitor voltage (V)':(mA('inductor current (A)')) \
       with lines linecolor rgb purple linewidth 1.6

set key top right on
set xlabel 't (ms)'
set xrange [0:5]
set xtics 1
set ylabel 'energy (µJ)'
set yrange [0:55]
set ytics 10
plot file using (ms('time (s)')):(1e6 * column('stored energy (J)')) \
       with lines linecolor rgb 'black' linewidth 1.8 title 'stored in capacitor and inductor'
unset multiplot
