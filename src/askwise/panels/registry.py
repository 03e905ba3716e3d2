"""Panels by name. A new one is a file with `OPTIONS` and `open_panel`, and a line here."""

PANELS = {"prolific": "askwise.panels.prolific", "panel": "askwise.panels.panel"}
"""Their modules are imported when needed."""
