# SPDX-License-Identifier: MIT
# A buck converter: start, loss of load, and two periods of each with current that flows always or stops.
# gnuplot -c buck.gp DIR reads DIR/buck.csv and writes DIR/buck.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/buck.csv'
set output dir.'/buck.png'
set multiplot title 'Buck converter, 24 V, pulses of 4 µs every 10 µs: a load of 1.5 A leaves at 7.5 ms' font ',19'
set border 11
set lmargin at screen 0.075
set rmargin at screen 0.925
set tmargin at screen 0.91
set bmargin at screen 0.57
set xrange [0:15]
set yrange [0:18]
set y2range [-4:14]
set y2tics out scale 0.6
set xlabel 't (ms)'
set ylabel 'output (V)' textcolor rgb blue
set y2label 'inductor (A)' textcolor rgb orange
set key off
plot file using (1e3 * $1):2 axes x1y2 with lines linecolor rgb orange linewidth 0.6, \
     file using (1e3 * $1):3 with lines linecolor rgb blue linewidth 2
set tmargin at screen 0.44
set bmargin at screen 0.09
set xrange [0:20]
set yrange [-1:27]
set y2range [-0.5:3]
set xlabel 't (µs)'
set ylabel 'behind the switch (V)' textcolor rgb purple
do for [k=0:1] {
  from = k == 0 ? 7.48e-3 : 14.98e-3
  set lmargin at screen 0.075 + 0.44 * k
  set rmargin at screen 0.485 + 0.44 * k
  if (k == 0) { unset y2tics; unset y2label } else { set y2tics out scale 0.6; set y2label 'inductor (A)' textcolor rgb orange; unset ylabel; set format y '' }
  set label 1 (k == 0 ? 'with the load' : 'without') at graph 0.96,0.93 right
  plot file using (1e6 * ($1 - from)):4 with fsteps linecolor rgb purple linewidth 1.4, \
       file using (1e6 * ($1 - from)):2 axes x1y2 with lines linecolor rgb orange linewidth 2
}
unset multiplot
