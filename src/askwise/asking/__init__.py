"""Asks crowds: which questions, until when, and for how much."""
