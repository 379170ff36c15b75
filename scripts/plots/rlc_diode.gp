# SPDX-License-Identifier: MIT
# Four circuits with a diode: voltage and current of each.
# gnuplot -c rlc_diode.gp DIR reads DIR/rlc_diode.csv and writes DIR/rlc_diode.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/rlc_diode.csv'
set output dir.'/rlc_diode.png'
set multiplot layout 2,2 margins 0.075,0.93,0.08,0.93 spacing 0.17,0.11 \
  title 'Resistor, inductor (10 mH), capacitor (1 µF, 10 V), diode in four circuits, steps of 0.1 µs' \
  font ',19'
set xlabel 't (ms)'
set border 11
set yrange [-11:11]
set y2range [-110:110]
set y2tics 50 out scale 0.6
set key off
circuit(k) = k == 1 ? 'a: C with a diode, R = 200 Ω beside it' : \
             k == 2 ? 'b: R = 1 kΩ with a diode, beside C and L' : \
             k == 3 ? 'c: R = 20 Ω and diode in series' : 'd: R = 1 kΩ beside C, diode in series'
do for [k=1:4] {
  set xrange [0:(k == 3 ? 1 : k == 1 ? 1 : 5)]
  set ylabel 'voltage of C (V)' textcolor rgb blue
  set y2label 'current of L (mA)' textcolor rgb orange
  set label 1 circuit(k) at graph 0.97,0.95 right
  plot file using (1e3 * $1):(column(2 * k)) with lines linecolor rgb blue linewidth 1.6 notitle, \
       file using (1e3 * $1):(1e3 * column(2 * k + 1)) axes x1y2 \
         with lines linecolor rgb orange linewidth 1.6 notitle
}
unset multiplot
