# SPDX-License-Identifier: MIT
# Work and precision of event-driven integrators and of fixed steps.
# gnuplot -c work_precision.gp DIR reads DIR/work_precision.csv and writes DIR/work_precision.png
# (DIR: out if not given).
dir = ARGC > 0 ? ARG1 : 'out'
load system("dirname '".ARG0."'").'/style.gp'
file = dir.'/work_precision.csv'
set terminal pngcairo size 1800,1300 enhanced font 'DejaVu Sans,14' linewidth 1.5
set output dir.'/work_precision.png'
set multiplot layout 2,3 margins 0.065,0.985,0.07,0.9 spacing 0.06,0.1 \
  title 'Error over work: ball (6 impacts), oscillator at a wall (5 impacts), pendulum on a string' \
  font ',19'
set logscale xy
set format '10^{%L}'
set yrange [1e-15:10]
methods = "'Runge-Kutta 8' 'Adams' 'BDF' 'ARKODE 4' 'ARKODE 8' 'IDA' 'Moreau-Jean' 'Schatzman-Paoli'"
problems = 'ball oscillator pendulum'
array colour[8] = ['black', blue, orange, sky, purple, yellow, green, grey]
only(p, m, name) = strcol('problem') eq p && strcol('method') eq m ? column(name) : NaN
visible(e) = e > 1e-15 ? e : 1e-15
do for [work in "'evaluations' 'time (s)'"] {
  do for [p in problems] {
    set title work eq 'evaluations' ? p : ''
    set xlabel work eq 'evaluations' ? 'evaluations of the right-hand side' : work
    set ylabel p eq 'ball' ? 'error (m)' : ''
    if (work eq 'evaluations' && p eq 'ball') { set key bottom right font ',11' } else { set key off }
    plot for [i=1:8] file using (only(p, word(methods, i), work)):(visible(column('error (m)'))) \
      with linespoints linecolor rgb colour[i] pointtype 5 + i % 4 * 2 pointsize 0.8 \
      title word(methods, i)
  }
}
unset multiplot
