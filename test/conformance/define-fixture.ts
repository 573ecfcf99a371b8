import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { defineTool, type Tool } from '../../src/core/tool.ts'

/** The smallest picture, one red pixel, and the smallest sound, in Base64. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
export const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

/** The exchange with the client during a call of an interactive tool. */
export const exchangeStorage = new AsyncLocalStorage<ServerContext>()

/** The names of the tools that communicate with the client while they run. */
export const interactiveTools = new Set<string>()

interface FixtureOptions {
  name: string
  description: string
  /** String arguments, all required. */
  args?: string[]
}

/** Defines a tool of the suite like a tool of Lectern. Its output is the whole result. */
export function defineFixture(
  { name, description, args = [] }: FixtureOptions,
  respond: () => object | Promise<object>,
): Tool<unknown> {
  return defineTool({
    name,
    title: name,
    description,
    group: 'support',
    scope: 'library:read',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    rateBucket: 'none',
    mcp: { result: (output) => output },
    input: z.strictObject(Object.fromEntries(args.map((arg) => [arg, z.string()]))),
    output: z.looseObject({}),
    run: async () => ({ ...(await respond()) }),
  })
}

/** Defines a tool that communicates with the client while it runs. */
export function defineInteractiveFixture(
  options: FixtureOptions,
  respond: (exchange: ServerContext) => object | Promise<object>,
): Tool<unknown> {
  interactiveTools.add(options.name)
  return defineFixture(options, () => {
    const exchange = exchangeStorage.getStore()
    if (!exchange) throw new Error(`${options.name} was called without an exchange`)
    return respond(exchange)
  })
}

/** A result with one text. */
export function textResult(text: string): object {
  return { content: [{ type: 'text', text }] }
}
