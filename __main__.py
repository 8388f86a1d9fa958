"""``python -m askfirst``: the same as the installed command."""

from askfirst.apps.cli.main import run

if __name__ == "__main__":
    run()
