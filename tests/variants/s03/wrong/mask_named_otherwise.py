# concept: function
# check: function, runs
import math

from max.experimental import functional as funktionen
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(abfrage, schlüssel, wert, maske=None):
    breite = int(abfrage.shape[-1])
    punkte = abfrage @ schlüssel.transpose(-1, -2)
    punkte = punkte / math.sqrt(breite)
    if maske is not None:
        punkte = punkte + maske
    gewichte = funktionen.softmax(punkte)
    ausgabe = gewichte @ wert
    return ausgabe, gewichte
