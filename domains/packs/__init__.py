"""Domain packs that come with the project."""
