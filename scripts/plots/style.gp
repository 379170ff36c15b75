# SPDX-License-Identifier: MIT
# What the plots have in common.
set datafile separator ','
set datafile columnheaders
set terminal pngcairo size 1600,1100 enhanced font 'DejaVu Sans,15' linewidth 1.5
set border 3 linecolor rgb '#555555'
set tics nomirror out scale 0.6 textcolor rgb '#333333'
set grid linecolor rgb '#dddddd' linewidth 0.7 linetype 1
set key box linecolor rgb '#cccccc' opaque samplen 2 spacing 1.15 width 1
set style fill transparent solid 0.25 noborder
# Colours that colour-blind readers tell apart (Okabe and Ito).
blue = '#0072b2'
orange = '#d55e00'
green = '#009e73'
purple = '#cc79a7'
yellow = '#e69f00'
sky = '#56b4e9'
grey = '#666666'
