"""Panels: services that send people to our pages, and pay them for a pack of questions."""
