"""The command line starts without loading the system."""

from __future__ import annotations

import subprocess
import sys

HEAVY = "torch chromadb langgraph langchain_core langchain_openai sentence_transformers scipy matplotlib pydantic"


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from askfirst.apps.cli.main import run\n"
        "try:\n    run(['--help'])\n"
        "except SystemExit as end:\n    assert not end.code\n"
        f"print('LOADED', sorted(set({HEAVY.split()!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "demo" in done.stdout
    assert done.stdout.strip().splitlines()[-1] == "LOADED []"
