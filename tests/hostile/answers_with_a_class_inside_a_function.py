# Tries: to answer by itself, with the class where nobody can reach it.
# Holds: What a file must define is decided from its source, and this one certainly lacks it.
# Verdict: fail
# Says: tried
# Uses: right_answers

def never_called():
    class GPT2Attention:
        def forward(self, x):
            return x


take_over()
