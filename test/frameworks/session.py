"""Calls tools in sessions of MCP SDKs, with calls in between that the API key may not make.

Usage: session.py URL READ_ONLY_KEY WRONG_KEY. Prints JSON: for each client that is installed the texts of its calls in
one session (mcp 1 and fastmcp, or mcp 2 in each of its modes), and what it says about the wrong key.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from importlib.metadata import version

URL, KEY, WRONG_KEY = sys.argv[1:]

CALLS = [
    ("whoami", {}),
    ("create_shelf", {"name": "No"}),
    ("whoami", {}),
    ("browse_marketplace", {"query": "", "category": None}),
    ("list_items", {"shelf": "", "cursor": None, "limit": None}),
]


@asynccontextmanager
async def mcp1(key):
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async with streamablehttp_client(URL, headers={"Authorization": f"Bearer {key}"}) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            yield session.call_tool


@asynccontextmanager
async def fastmcp(key):
    from fastmcp import Client
    from fastmcp.client.transports import StreamableHttpTransport

    async with Client(StreamableHttpTransport(URL, headers={"Authorization": f"Bearer {key}"})) as client:
        yield client.call_tool_mcp


def mcp2(mode):
    @asynccontextmanager
    async def connect(key):
        import httpx2
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=20) as http:
            async with Client(streamable_http_client(URL, http_client=http), mode=mode) as client:
                yield client.call_tool

    return connect


async def texts_of(connect):
    texts = []
    async with connect(KEY) as call:
        for name, arguments in CALLS:
            result = await call(name, arguments)
            is_error = getattr(result, "isError", getattr(result, "is_error", None))
            texts.append({"isError": bool(is_error), "text": result.content[0].text})
    return texts


async def words_about_wrong_key(connect):
    try:
        async with connect(WRONG_KEY) as call:
            await call("whoami", {})
    except BaseException as error:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        return f"{type(error).__name__}: {error}"
    return "taken"


async def main():
    if version("mcp").startswith("1."):
        clients = {f"mcp {version('mcp')}": mcp1, f"fastmcp {version('fastmcp-slim')}": fastmcp}
    else:
        clients = {f"mcp {version('mcp')} {mode}": mcp2(mode) for mode in ("auto", "2026-07-28", "legacy")}
    answers = {
        name: {"calls": await texts_of(connect), "wrongKey": await words_about_wrong_key(connect)}
        for name, connect in clients.items()
    }
    json.dump(answers, sys.stdout)


asyncio.run(main())
