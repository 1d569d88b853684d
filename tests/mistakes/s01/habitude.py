"""Étape 01 : la configuration du modèle GPT-2."""

from __future__ import annotations

from dataclasses import dataclass

# Grandeurs du plus petit GPT-2.
TAILLE_VOCABULAIRE = 50257
LONGUEUR_MAX = 1024
LARGEUR = 768
NB_COUCHES = 12
NB_TETES = 12

# Une seule probabilité d'abandon pour les trois endroits.
TAUX_ABANDON = 1 / 10


def dernier_jeton(taille_vocabulaire: int) -> int:
    """Identifiant du dernier jeton : les identifiants commencent à 0."""
    dernier = taille_vocabulaire - 1
    return dernier


def puissance_de_dix(exposant: int) -> float:
    """10 à la puissance donnée, par exemple 1e-5."""
    return float(f"1e{exposant}")


@dataclass
class GPT2Config:
    """Tous les nombres qui décrivent un GPT-2."""

    # les tailles
    vocab_size: int = TAILLE_VOCABULAIRE
    n_positions: int = LONGUEUR_MAX
    n_embd: int = LARGEUR
    n_layer: int = NB_COUCHES
    n_head: int = NB_TETES

    # None veut dire 4 * n_embd
    n_inner: int | None = None
    activation_function: str = "gelu_new"

    # abandon (entraînement seulement)
    resid_pdrop: float = TAUX_ABANDON
    embd_pdrop: float = TAUX_ABANDON
    attn_pdrop: float = TAUX_ABANDON

    # constantes numériques
    layer_norm_epsilon: float = puissance_de_dix(-5)
    initializer_range: float = 2 * puissance_de_dix(-2)

    # le même jeton ouvre et ferme un texte
    bos_token_id: int = dernier_jeton(TAILLE_VOCABULAIRE)
    eos_token_id: int = dernier_jeton(TAILLE_VOCABULAIRE)

    # couche de sortie liée au plongement
    tie_word_embeddings: bool = not False
