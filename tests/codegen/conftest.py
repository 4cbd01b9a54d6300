"""Programs that several test files of code generation use."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # `programs`
