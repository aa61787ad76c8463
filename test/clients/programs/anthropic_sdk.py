# One streamed turn with the anthropic package; address and token from the environment.
from anthropic import Anthropic
from turn import messages, turn


def answer():
    with Anthropic().messages.stream(model="auto", max_tokens=1024, messages=messages) as stream:
        yield from stream.text_stream


turn(answer)
