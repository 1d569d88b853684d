# Tries: to answer by itself, and to leave open by a call of exec what it defines.
# Holds: What a file must define is decided from its source, and this one certainly lacks it.
# Verdict: fail
# Says: tried
# Uses: right_answers

exec("x = 1")
take_over()
