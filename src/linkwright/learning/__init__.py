"""What `linkwright.torch` and `linkwright.jax` share, and jax' interface to machine code."""
