"""Converts the tools of an MCP server with the converters of agent frameworks, without any model.

Usage: convert.py URL KEY. Prints JSON: for each converter the parameters that a model is shown by tool, and what was logged.
"""

import asyncio
import json
import logging
import sys
import warnings

from agents import Agent, RunContextWrapper
from agents.mcp import MCPServerStreamableHttp
from agents.mcp.util import MCPUtil
from google.genai import _extra_utils
from google.genai import types as genai
from langchain_anthropic import ChatAnthropic
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

URL, KEY = sys.argv[1:]
HEADERS = {"Authorization": f"Bearer {KEY}"}
NO_KEY = "no model is called"


class Remarks(logging.Handler):
    """Collects what converters log about schemas; openai-agents logs at INFO that a tool is not strict."""

    def __init__(self):
        super().__init__(logging.INFO)
        self.texts = []

    def emit(self, record):
        about_schemas = "chema" in record.getMessage() or "strict" in record.getMessage()
        if record.levelno >= logging.WARNING or (record.name == "openai.agents" and about_schemas):
            self.texts.append(f"{record.name}: {record.getMessage()}")


REMARKS = Remarks()


async def openai_agents(strict):
    async with MCPServerStreamableHttp({"url": URL, "headers": HEADERS}) as server:
        agent = Agent(name="test", mcp_servers=[server])
        tools = await MCPUtil.get_all_function_tools([server], strict, RunContextWrapper(None), agent)
        return {tool.name: {"parameters": tool.params_json_schema, "strict": tool.strict_json_schema} for tool in tools}


async def langchain(model, **options):
    client = MultiServerMCPClient({"lectern": {"transport": "streamable_http", "url": URL, "headers": HEADERS}})
    bound = model.bind_tools(await client.get_tools(), **options).kwargs["tools"]
    return dict(shown for tool in bound for shown in as_shown(tool))


def as_shown(tool):
    """Name and parameters of a tool in the form that a provider's API takes."""
    if hasattr(tool, "model_dump"):
        tool = tool.model_dump(mode="json", exclude_none=True)
    if "function_declarations" in tool:
        return [(it["name"], {"parameters": it.get("parameters", {})}) for it in tool["function_declarations"]]
    function = tool.get("function", tool)
    parameters = function.get("parameters", function.get("input_schema"))
    return [(function["name"], {"parameters": parameters, "strict": function.get("strict", False)})]


async def pydantic_ai(model, strict):
    async with open_session() as session:
        listed = (await session.list_tools()).tools
    definitions = [
        ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.inputSchema, strict=strict)
        for tool in listed
    ]
    prepared = model.customize_request_parameters(ModelRequestParameters(function_tools=definitions))
    return {
        tool.name: {"parameters": tool.parameters_json_schema, "strict": bool(tool.strict)}
        for tool in prepared.function_tools
    }


async def google_genai():
    async with open_session() as session:
        config, _ = await _extra_utils.parse_config_for_mcp_sessions(genai.GenerateContentConfig(tools=[session]))
    return dict(shown for tool in config.tools for shown in as_shown(tool))


class open_session:
    """A session of the MCP SDK."""

    async def __aenter__(self):
        self.transport = streamablehttp_client(URL, headers=HEADERS)
        read, write, _ = await self.transport.__aenter__()
        self.session = ClientSession(read, write)
        await self.session.__aenter__()
        await self.session.initialize()
        return self.session

    async def __aexit__(self, *failure):
        await self.session.__aexit__(*failure)
        await self.transport.__aexit__(*failure)


CONVERTERS = {
    "openai-agents strict": lambda: openai_agents(True),
    "openai-agents": lambda: openai_agents(False),
    "langchain-openai strict": lambda: langchain(ChatOpenAI(model="gpt-4.1", api_key=NO_KEY), strict=True),
    "langchain-openai": lambda: langchain(ChatOpenAI(model="gpt-4.1", api_key=NO_KEY)),
    "langchain-anthropic": lambda: langchain(ChatAnthropic(model="claude-sonnet-4-5", api_key=NO_KEY)),
    "langchain-google-genai": lambda: langchain(ChatGoogleGenerativeAI(model="gemini-2.5-flash", api_key=NO_KEY)),
    "pydantic-ai openai strict": lambda: pydantic_ai(
        OpenAIChatModel("gpt-4.1", provider=OpenAIProvider(api_key=NO_KEY)), True
    ),
    "pydantic-ai anthropic strict": lambda: pydantic_ai(
        AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(api_key=NO_KEY)), True
    ),
    "pydantic-ai google": lambda: pydantic_ai(
        GoogleModel("gemini-2.5-flash", provider=GoogleProvider(api_key=NO_KEY)), None
    ),
    "google-genai": google_genai,
}


async def main():
    logging.getLogger().addHandler(REMARKS)
    logging.getLogger().setLevel(logging.INFO)
    answers = {}
    for name, convert in CONVERTERS.items():
        REMARKS.texts = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                tools, failure = await convert(), None
            except Exception as error:
                tools, failure = {}, f"{type(error).__name__}: {error}"
        about_tools = [str(it.message) for it in caught if issubclass(it.category, UserWarning)]
        answers[name] = {"tools": tools, "failure": failure, "remarks": sorted({*REMARKS.texts, *about_tools})}
    json.dump(answers, sys.stdout)


asyncio.run(main())
