"""URDF and its dialects of closed loops."""
