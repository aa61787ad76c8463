# What the SDK programs share: their arguments, and the conversation in a file.
import json
import os
import sys

_request = json.loads(sys.argv[2])
_history = _request["history"]
messages = []
if _request["goOn"] and os.path.exists(_history):
    with open(_history, encoding="utf-8") as file:
        messages = json.load(file)
messages.append({"role": "user", "content": _request["prompt"]})

_schema = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "Absolute path"}},
    "required": ["path"],
}
TOOL = {"name": "read_file", "description": "Read a text file and return its content.", "schema": _schema}
brings_tools = _request["bringsTools"]


def run_tool(arguments):
    with open(arguments["path"], encoding="utf-8") as file:
        return file.read()


def turn(answer):
    """Prints the pieces of the answer and keeps it; an error is printed with its text and ends with 1."""
    content = ""
    try:
        for piece in answer():
            content += piece
            print(piece, end="", flush=True)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
    print()
    with open(_history, "w", encoding="utf-8") as file:
        json.dump([*messages, {"role": "assistant", "content": content}], file)
