"""What a failing program computed, beside the reference on the same inputs, and where they part.

``run`` is what was recorded, ``relations`` says what one value is to another, ``trace`` finds where
the numbers leave the path, ``cause`` and its neighbors why. ``telling`` says it, ``raising`` of an
error, and ``follow`` is the way in.
"""
