import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { defineTool, type Tool } from '../../src/core/tool.ts'

/** A smallest picture, one red pixel, and a smallest sound, in Base64. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
export const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

/** The exchange with the client in which a tool that converses runs. */
export const exchangeStorage = new AsyncLocalStorage<ServerContext>()

/** The names of the tools that talk with the client while they run. */
export const interactiveTools = new Set<string>()

interface FixtureOptions {
  name: string
  description: string
  /** String arguments, all required. */
  args?: string[]
}

/** A tool of the suite in the form in which Lectern declares its own: its output is the whole result. */
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

/** A fixture that talks with the client while it runs. */
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

/** A result of one text. */
export function textResult(text: string): object {
  return { content: [{ type: 'text', text }] }
}
