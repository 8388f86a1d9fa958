"""The command line. Module level imports stay light, so that ``askfirst --help`` is quick."""

__all__: list[str] = []
