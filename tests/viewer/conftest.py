from chromium import chromium  # noqa: F401  a fixture
