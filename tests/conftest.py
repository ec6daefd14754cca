"""Settings that every test shares."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ladderman",
    deadline=None,  # the two cores are shared: time says nothing about the example
    suppress_health_check=[HealthCheck.too_slow],  # same
    derandomize="CI" in os.environ,  # a build that failed fails again with the same example
    print_blob=True,
)
settings.load_profile("ladderman")
