# One streamed turn with the anthropic package; address and token from the environment.
from anthropic import Anthropic
from turn import TOOL, brings_tools, messages, run_tool, turn

_tool = {"name": TOOL["name"], "description": TOOL["description"], "input_schema": TOOL["schema"]}


def answer():
    told = [*messages]
    tools = [_tool] if brings_tools else []
    while True:
        with Anthropic().messages.stream(
            model="auto", max_tokens=1024, messages=told, tools=tools
        ) as stream:
            yield from stream.text_stream
            message = stream.get_final_message()
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return
        told.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]})
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": run_tool(call.input)} for call in calls
        ]
        told.append({"role": "user", "content": results})


turn(answer)
