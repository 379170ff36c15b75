# SPDX-License-Identifier: MIT
# A mass on a belt: elongation of its spring, speed, friction, limit cycle.
# gnuplot -c stick_slip_events.gp DIR reads DIR/stick_slip_events.csv and writes DIR/stick_slip_events.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/stick_slip_events.csv'
set output dir.'/stick_slip_events.png'
set multiplot layout 2,2 margins 0.085,0.98,0.08,0.93 spacing 0.11,0.11 \
  title 'Stick and slip: 1 kg at 100 N/m on a belt of 0.1 m/s, µ = 0.3 weakening, by events' \
  font ',19'
set xlabel 't (s)'
set xrange [0:3]
cm(name) = 100 * column(name)
set key off
set ylabel 'elongation of the spring (cm)'
set yrange [0:4]
set arrow 1 from 0,2.943 to 3,2.943 nohead dashtype 2 linewidth 1.4 linecolor rgb grey
set label 1 'dashed: breaks away, µMg/K' at graph 0.5,0.08
plot file using 'time (s)':(cm('elongation (m)')) with lines linecolor rgb blue linewidth 1.8
unset arrow 1
unset label 1

set ylabel 'speed of the mass (m/s)'
set yrange [-0.2:0.2]
set arrow 1 from 0,0.1 to 3,0.1 nohead dashtype 2 linewidth 1.4 linecolor rgb grey
set label 1 'belt' at 0.05,0.115
plot file using 'time (s)':'speed (m/s)' with lines linecolor rgb orange linewidth 1.6
unset arrow 1
unset label 1

set ylabel 'Coulomb friction (N)'
set yrange [0:3.5]
plot file using 'time (s)':'friction (N)' with lines linecolor rgb green linewidth 1.6

set xlabel 'elongation of the spring (cm)'
set xrange [0:4]
set ylabel 'speed of the mass (m/s)'
set yrange [-0.2:0.2]
plot file using (cm('elongation (m)')):'speed (m/s)' with lines linecolor rgb purple linewidth 1.6
unset multiplot
