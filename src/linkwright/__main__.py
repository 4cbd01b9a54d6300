"""`python -m linkwright`, the same as the `linkwright` command."""

from .cli import main

main()
