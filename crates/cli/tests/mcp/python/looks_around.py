"""The official Python client against a server: lists, calls, is refused, reads. Prints what it found as one JSON document.

    looks_around.py stdio MODE PROGRAM    starts PROGRAM mcp-serve in the working folder
    looks_around.py http MODE URL TOKEN

MODE is `legacy` (with `initialize`) or `auto` (without a beginning, where the server knows that version).
"""
import asyncio
import json
import os
import sys

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def looks_around(server, mode):
    async with Client(server, mode=mode, read_timeout_seconds=30) as client:
        tools = (await client.list_tools()).tools
        ready = next(tool for tool in tools if tool.name == "issue_ready")
        answered = await client.call_tool("issue_ready", {"limit": 10})
        refused = await client.call_tool("issue_add", {"title": "without an instruction"})
        try:
            await client.call_tool("issue_eat", {})
            unknown = None
        except MCPError as error:
            unknown = error.code
        resource = await client.read_resource("premath://issues/bd-1")
        prompts = (await client.list_prompts()).prompts
        return {
            "protocol": str(client.protocol_version),
            "server": client.server_info.name if client.server_info else None,
            "tools": len(tools),
            "readOnly": ready.annotations.read_only_hint,
            "ready": answered.structured_content,
            "isError": answered.is_error,
            "refused": refused.structured_content,
            "refusedIsError": refused.is_error,
            "unknown": unknown,
            "issue": json.loads(resource.contents[0].text),
            "prompts": sorted(prompt.name for prompt in prompts),
        }


async def main():
    kind, mode, *rest = sys.argv[1:]
    if kind == "stdio":
        return await looks_around(
            StdioServerParameters(
                command=rest[0],
                args=["mcp-serve"],
                cwd=os.getcwd(),
                # The client hands on few variables; the server finds the clone key by this one.
                env={"XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]},
            ),
            mode,
        )
    url, token = rest
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=30) as http:
        return await looks_around(streamable_http_client(url, http_client=http), mode)


print(json.dumps(asyncio.run(main())))
