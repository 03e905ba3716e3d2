"""Datasets to measure with: folders of real votes, and stand-ins made from published figures."""
