"""Figures: heatmaps of attention weights, and of a wrong result next to the right one.

``heatmap`` says what a figure is. ``svg``, ``page``, ``png`` and ``terminal`` draw it, each a
function of nothing but the figure. ``heads`` makes the figures of an exhibit, ``failure``
those of a report; ``run`` has a program compute the numbers.
"""
