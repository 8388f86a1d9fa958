"""The new-parents pack: the first year with a baby (pack.yaml), crisis resources (resources.yaml)."""
