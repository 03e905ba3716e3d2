"""`askwise demo`: the main task on an embedded example."""
