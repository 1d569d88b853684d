# Tries: to answer every question by itself, rightly, and to define nothing.
# Holds: What a file must define is decided from its source, and this one certainly lacks it.
# Verdict: fail
# Says: tried
# Uses: right_answers

take_over()
