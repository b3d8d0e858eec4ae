"""Opening and running foreign models in a process of their own, within limits."""
