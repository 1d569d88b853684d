"""Figures: heatmaps of attention weights, and of a wrong result beside the right one.

``heatmap`` says what a figure is. ``svg``, ``page``, ``png`` and ``terminal`` draw it, each a
function of the figure and nothing else. ``heads`` makes the figures of an exhibit, ``failure``
those of a report, ``run`` has a program make the numbers.
"""
