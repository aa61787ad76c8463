# One streamed turn with the openai package; address and key from the environment.
from openai import OpenAI
from turn import messages, turn


def answer():
    for chunk in OpenAI().chat.completions.create(model="auto", messages=messages, stream=True):
        for choice in chunk.choices:
            yield choice.delta.content or ""


turn(answer)
