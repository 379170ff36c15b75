# SPDX-License-Identifier: MIT
# Newton's cradle by the law of Liu, Zhao and Brogliato: five balls.
# gnuplot -c newtons_cradle_events.gp DIR reads DIR/newtons_cradle_events.csv and writes DIR/newtons_cradle_events.png (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/newtons_cradle_events.csv'
set output dir.'/newtons_cradle_events.png'
set title "Newton's cradle: five balls on 0.2 m, law of Liu, Zhao and Brogliato, Hertz' springs, e = 1" font ',19'
set xlabel 't (s)'
set xrange [0:2.4]
set ylabel 'displacement (cm), balls 4 cm apart'
set ytics ('1' 0, '2' 4, '3' 8, '4' 12, '5' 16)
set key off
array c[5] = [blue, orange, green, purple, sky]
cm(k) = 100 * column(sprintf('q%d (m)', k)) + 4 * (k - 1)
plot for [k = 1:5] file using 'time (s)':(cm(k)) with lines linecolor rgb c[k] linewidth 1.8
