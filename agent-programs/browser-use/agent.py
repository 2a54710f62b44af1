"""Plays a Taskproof trial with browser-use.

The task comes as one JSON object on standard input; turns go out as JSON lines on standard output. That is
the protocol of `command()`: docs/agent-protocol.md. Logs go to standard error.
"""

import argparse
import asyncio
import atexit
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

PROTOCOL_VERSION = "1"
DEFAULT_MODEL = "claude-opus-5-5"

# browser-use reads these when it is imported. Only requests to the model may leave this machine.
QUIET = {
    "ANONYMIZED_TELEMETRY": "false",
    "BROWSER_USE_CALCULATE_COST": "false",  # it would fetch a price list
    "BROWSER_USE_CLOUD_HINTS": "false",
    "BROWSER_USE_CLOUD_SYNC": "false",
    "BROWSER_USE_DISABLE_EXTENSIONS": "true",
    "BROWSER_USE_VERSION_CHECK": "false",
}


def main() -> None:
    # Standard output is only for the protocol: what libraries print goes to the logs.
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def write(**line: Any) -> None:
        lines.write(json.dumps(line) + "\n")
        lines.flush()

    options = parse_options()
    task = json.load(sys.stdin.buffer)
    if task["protocolVersion"] != PROTOCOL_VERSION:
        reason = f"agent.py speaks protocol version {PROTOCOL_VERSION}, not {task['protocolVersion']}"
        write(type="end", status="error", reason=reason)
        return
    computed = [name for name in task.get("computedSecrets", []) if name in task["goal"]]
    if computed:
        reason = f"browser-use gets no secrets that are computed, and the goal names {computed[0]}: log in by storageState or a fixture"
        write(type="end", status="error", reason=reason)
        return
    price = price_of(options)
    # Before browser-use is loaded, which takes seconds.
    reason = ""
    if task["maxCostUsd"] is not None and price is None:
        reason = f"the price of {options.model} is unknown, so the cost cap can't be kept: pass --price"
    elif not (os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN")):
        reason = "no API key found: set ANTHROPIC_API_KEY"
    if reason:
        write(type="end", status="error", errorKind="agent_api", reason=reason)
        return
    prepare_environment()
    try:
        from trial import play
    except ModuleNotFoundError as error:
        reason = f"{error}; install what agent-programs/browser-use/requirements.txt lists for {sys.executable}"
        write(type="end", status="error", reason=reason)
        return
    write(type="end", **asyncio.run(play(task, options.model, price, write)))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Plays a Taskproof trial with browser-use.")
    parser.add_argument("--model", default=os.environ.get("BROWSER_USE_MODEL") or DEFAULT_MODEL)
    parser.add_argument(
        "--price",
        type=json.loads,
        metavar="JSON",
        help='US dollars per million tokens: {"input": 4, "output": 20, "cacheRead": 0.2, "cacheWrite": 5}',
    )
    return parser.parse_args()


def price_of(options: argparse.Namespace) -> dict[str, Any] | None:
    """None if the price is unknown."""
    table = json.loads(Path(__file__).with_name("prices.json").read_text(encoding="utf-8"))
    return options.price or table.get(options.model)


def prepare_environment() -> None:
    """Keeps browser-use quiet, and its files (pictures, settings) in a folder that is removed after the trial."""
    scratch = tempfile.mkdtemp(prefix="taskproof-browser-use-")
    tempfile.tempdir = scratch
    os.environ.update(QUIET, BROWSER_USE_CONFIG_DIR=scratch)

    def clean_up() -> None:
        shutil.rmtree(scratch, ignore_errors=True)

    def stop(*_: object) -> None:
        clean_up()
        os._exit(143)

    atexit.register(clean_up)
    signal.signal(signal.SIGTERM, stop)


if __name__ == "__main__":
    main()
