"""What each step computes, in float64 NumPy, as the papers write it. No MAX here.

Every formula takes *knobs*: named ways to be wrong. Without knobs it is the right formula, and a
knob that a formula does not know is ignored. The misconceptions are settings of these knobs.
"""
