"""Iterations that go on until the answer is right: which directions count, how many digits are left, and evidence."""
