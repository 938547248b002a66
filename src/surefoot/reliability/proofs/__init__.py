"""Proofs and exact answers inside boxes: networks by bounds of their scores, tree ensembles by their thresholds."""
