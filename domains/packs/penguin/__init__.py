"""The PENGUIN pack: seven domains and ten attributes (pack.yaml), crisis resources (resources.yaml)."""
