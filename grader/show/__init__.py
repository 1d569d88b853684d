"""Pictures: heatmaps of attention weights, and of a wrong result beside the right one.

:mod:`grader.show.heatmap` says what a picture is. ``svg``, ``page``, ``png`` and ``terminal`` draw
it, each a function of the figure and nothing else.
"""
