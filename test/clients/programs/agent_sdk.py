# One query of the Claude Agent SDK for Python; its texts and its last word are printed.
import asyncio
import json
import sys

from claude_agent_sdk import AssistantMessage, ClaudeAgentOptions, ResultMessage, TextBlock, query

request = json.loads(sys.argv[1])
options = ClaudeAgentOptions(
    cwd=request["project"],
    permission_mode="bypassPermissions",
    continue_conversation=request["goOn"],
    setting_sources=[],
)


async def main():
    failed = False
    async for message in query(prompt=request["prompt"], options=options):
        if isinstance(message, AssistantMessage):
            for block in message.content:
                if isinstance(block, TextBlock):
                    print(block.text, flush=True)
        if isinstance(message, ResultMessage):
            print(message.result, flush=True)
            failed = message.is_error
    sys.exit(1 if failed else 0)


asyncio.run(main())
