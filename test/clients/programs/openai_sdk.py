# One streamed turn with the openai package; address and key from the environment.
import json

from openai import NOT_GIVEN, OpenAI
from turn import TOOL, brings_tools, messages, run_tool, turn

_function = {"name": TOOL["name"], "description": TOOL["description"], "parameters": TOOL["schema"]}
_tools = [{"type": "function", "function": _function}] if brings_tools else NOT_GIVEN


def answer():
    told = [*messages]
    while True:
        with OpenAI().chat.completions.stream(model="auto", messages=told, tools=_tools) as stream:
            for event in stream:
                if event.type == "content.delta":
                    yield event.delta
            message = stream.get_final_completion().choices[0].message
        if not message.tool_calls:
            return
        told.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
        for call in message.tool_calls:
            content = run_tool(json.loads(call.function.arguments))
            told.append({"role": "tool", "tool_call_id": call.id, "content": content})


turn(answer)
