"""Scores as the authors of PerSEval released them: latest_scores, version final, all documents."""

FAMILIES = "pppppggggg"
HUMAN = [0.3155, 0.3645, 0.3268, 0.3173, 0.33, 0.3509, 0.4519, 0.416, 0.4283, 0.4115]
RELEASED = {
    "infolm": [0.0508, 0.0453, 0.0133, 0.0287, 0.0127, 0.1945, 0.1543, 0.1351, 0.1795, 0.1242],
    "jsd": [0.0063, 0.0314, 0.0009, 0.0038, 0.0011, 0.2548, 0.157, 0.0648, 0.1917, 0.0579],
    "meteor": [0.1281, 0.126, 0.1213, 0.1267, 0.1218, 0.151, 0.1426, 0.1486, 0.1463, 0.1464],
}
"""PerSEval-HJ and PerSEval of the five PENS systems, then of the five generic ones."""
