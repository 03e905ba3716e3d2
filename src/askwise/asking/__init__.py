"""Asking crowds: which questions, until when, for how much."""
