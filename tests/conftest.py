from hypothesis import HealthCheck, settings

# Compiling a kernel at its first call takes seconds, so no example has a deadline.
settings.register_profile(
    "askwise", deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("askwise")
