"""What a person starts: the command line and the wiring that joins all parts. May import every other package.

``Wiring`` is the one composition root: it turns ``Settings`` into models, stores, agents, judges and simulated users.
Its names are loaded on first use, so that ``askfirst --help`` does not load the whole system.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .settings import OFFLINE, Settings, load_settings
    from .wiring import Wiring

    __version__: str

__all__ = ["OFFLINE", "Settings", "Wiring", "__version__", "load_settings"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__version__":  # of the distribution; ``askfirst`` itself is a namespace package and cannot have one
        from importlib.metadata import version

        return version("askfirst")
    return getattr(import_module(".wiring" if name == "Wiring" else ".settings", __name__), name)
