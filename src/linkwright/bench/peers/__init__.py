"""Other rigid-body libraries, wrapped so that their own fastest code is timed beside ours in one process."""
