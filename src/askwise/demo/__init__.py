"""The main job on an embedded example: `askwise demo`."""
