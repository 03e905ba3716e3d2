"""Panels by name. A new one is a file with `OPTIONS` and `open_panel`, and a line here."""

PANELS = {"prolific": "askwise.panels.prolific", "panel": "askwise.panels.panel"}
"""Their people come to our pages. The modules are imported when they are asked."""
