# SPDX-License-Identifier: MIT
# A power supply: voltages, currents, ripple, energy.
# gnuplot -c rectifier.gp DIR reads DIR/rectifier.csv and writes DIR/rectifier.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/rectifier.csv'
set output dir.'/rectifier.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title 'Rectifier with a smoothing capacitor: 17 V, 50 Hz; 1 mF, 100 Ω; steps of 10 µs' font ',19'
set xlabel 't (ms)'
set xrange [0:60]
ms = 1e3
set key bottom right on
set ylabel 'voltage (V)'
set yrange [-20:20]
plot file using (ms * $1):'mains (V)' with lines linecolor rgb sky linewidth 1.4 title 'mains', \
     file using (ms * $1):'capacitor (V)' with lines linecolor rgb blue linewidth 1.8 title 'capacitor'

set key top right
set ylabel 'current (A)'
set yrange [-2:8]
plot file using (ms * $1):'bridge (A)' with lines linecolor rgb orange linewidth 1.6 title 'bridge', \
     file using (ms * $1):'winding (A)' with lines linecolor rgb blue linewidth 1.2 title 'winding'

set xrange [160:200]
set key off
set ylabel 'voltage of the capacitor (V)'
set yrange [15.5:17.2]
plot file using (ms * $1):'capacitor (V)' with lines linecolor rgb blue linewidth 1.8

set key top left on
set xrange [0:200]
set ylabel 'energy (J)'
set yrange [0:0.8]
plot file using (ms * $1):'energy in (J)' with lines linecolor rgb 'black' linewidth 1.8 title 'from the mains', \
     file using (ms * $1):'energy burnt (J)' with lines linecolor rgb orange linewidth 1.6 title 'burnt', \
     file using (ms * $1):'energy stored (J)' with lines linecolor rgb blue linewidth 1.6 title 'stored'
unset multiplot
