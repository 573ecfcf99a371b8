import { readdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { listTools } from '../src/mcp/list-tools.ts'
import { isWriteScope, scopes } from '../src/core/scopes.ts'
import type { Tool } from '../src/core/tool.ts'
import { tools } from '../tools/index.ts'

const root = new URL('../tools/', import.meta.url)
const named = tools.map((tool) => [tool.name, tool] as const)
const offered = tools.filter(({ mcp }) => mcp !== false)
const routed = tools.flatMap((tool) => (tool.rest ? [[tool.name, tool, tool.rest] as const] : []))

const kebab = (name: string) => name.replaceAll('_', '-')

/** The MCP tools of the contract: scope, read-only, destructive, idempotent. */
const contract: Record<string, [scope: string, readOnly: boolean, destructive: boolean, idempotent: boolean]> = {
  whoami: ['library:read', true, false, true],
  library_summary: ['library:read', true, false, true],
  list_items: ['library:read', true, false, true],
  search_items: ['library:read', true, false, true],
  get_table_of_contents: ['library:read', true, false, true],
  read_items: ['library:read', true, false, true],
  get_item_content: ['library:read', true, false, true],
  create_markdown_item: ['library:write', false, false, false],
  append_item_pages: ['library:write', false, false, false],
  put_item_page: ['library:write', false, true, true],
  put_item_content: ['library:write', false, true, false],
  enrich_item: ['library:write', false, true, true],
  flag_item: ['library:write', false, false, true],
  reprocess_item: ['library:write', false, true, false],
  delete_items: ['library:write', false, true, true],
  list_item_versions: ['library:read', true, false, true],
  restore_item_version: ['library:write', false, true, true],
  list_shelves: ['library:read', true, false, true],
  get_shelf: ['library:read', true, false, true],
  create_shelf: ['library:write', false, false, false],
  update_shelf: ['library:write', false, false, true],
  delete_shelf: ['library:write', false, true, true],
  add_to_shelf: ['library:write', false, false, true],
  remove_from_shelf: ['library:write', false, true, true],
  list_manuscripts: ['library:read', true, false, true],
  create_manuscript: ['library:write', false, false, false],
  update_manuscript: ['library:write', false, false, true],
  archive_manuscript: ['library:write', false, true, true],
  list_book_gaps: ['library:read', true, false, true],
  resolve_book_gap: ['library:write', false, false, true],
  restore_book_gap: ['library:write', false, false, true],
  report_gap: ['library:read', false, false, false],
  suggest_book: ['library:read', false, false, true],
  start_access_session: ['library:read', false, false, false],
  complete_access_session: ['library:read', false, false, true],
  browse_marketplace: ['marketplace:read', true, false, true],
  subscribe_marketplace: ['marketplace:write', false, false, true],
  unsubscribe_marketplace: ['marketplace:write', false, true, false],
}

/** Tools that are offered over MCP in addition to the contract. */
const additions: typeof contract = {
  search: ['library:read', true, false, true],
  fetch: ['library:read', true, false, true],
  check_citations: ['library:read', true, false, true],
  get_figure: ['library:read', true, false, true],
  purge_item_version: ['library:write', false, true, true],
  undelete_item: ['library:write', false, false, true],
}

/** Capabilities that take no idempotency key although repeating a call has another effect, and why. */
const withoutKey: Record<string, string> = {
  put_item_content: 'replaces a text; `expectedVersion` refuses a repeat',
  reprocess_item: 'replaces a text by that of the same file',
  unsubscribe_marketplace: 'removes; a repeat is not found',
  confirm_upload: 'confirms once; a repeat is refused',
  create_api_key: 'its response holds a secret, which is not kept',
}

/** Fields whose structure the contract does not define. */
const free = ['metadata', 'structure']

/** REST calls that have a body but only read. */
const readingPosts = new Set(['get_table_of_contents', 'read_items', 'check_upload', 'check_citations'])

describe('the list', () => {
  test('contains every declaration in tools/, once', async () => {
    const files = (await readdir(root, { recursive: true })).filter(
      (file) => file.includes('/') && file.endsWith('.ts'),
    )
    const fromFiles = files.map((file) => file.replace(/^.*\//, '').replace(/\.ts$/, ''))
    expect(tools.map(({ name }) => kebab(name)).sort()).toEqual(fromFiles.sort())
  })

  test('has no name and no route twice', () => {
    const names = tools.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const routes = routed.map(([, , rest]) => `${rest.method} ${rest.path.replaceAll(/\{\w+\}/g, '{}')}`)
    expect(new Set(routes).size).toBe(routes.length)
  })

  test('has no two titles or descriptions alike', () => {
    for (const field of ['title', 'description'] as const) {
      const texts = tools.map((tool) => tool[field])
      expect(new Set(texts).size).toBe(texts.length)
    }
  })

  test('offers nothing over MCP that is neither in the contract nor a known addition', () => {
    const known = new Set([...Object.keys(contract), ...Object.keys(additions)])
    expect(offered.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([])
  })
})

describe.for(named)('%s', ([name, tool]) => {
  test('is declared in the file of its name', async () => {
    const files = await readdir(root, { recursive: true })
    const file = files.find((path) => path.endsWith(`/${kebab(name)}.ts`))
    expect(file).toBeDefined()
    const { default: declared } = (await import(new URL(file as string, root).href)) as { default: Tool }
    expect(declared).toBe(tool)
  })

  test('has a name, a title and a description that clients show whole', () => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(name.length).toBeLessThanOrEqual(64)
    expect(tool.title).toMatch(/^[A-Z].{2,48}[^.]$/)
    expect(tool.description.length).toBeLessThanOrEqual(200)
    expect(tool.description).toMatch(/^[A-Z].*\.$/s)
  })

  test('says in its first sentence what it does', () => {
    const first = tool.description.split(/(?<=\.)\s/)[0] as string
    expect(first.split(' ').length).toBeGreaterThanOrEqual(3)
    expect(first).not.toMatch(/^(This|A tool|Tool|Use this|The tool|It)\b/)
  })

  test('states all four hints, and they agree with each other and with its scope', () => {
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations
    for (const hint of [readOnlyHint, destructiveHint, idempotentHint, openWorldHint])
      expect(hint).toBeTypeOf('boolean')
    if (readOnlyHint)
      expect({ destructiveHint, idempotentHint }).toEqual({ destructiveHint: false, idempotentHint: true })
    if (isWriteScope(tool.scope)) expect(readOnlyHint).toBe(false)
    expect(scopes).toContain(tool.scope)
  })

  test('honours an idempotency key only if it creates something', () => {
    const { readOnlyHint, idempotentHint } = tool.annotations
    expect(tool.idempotent ?? false).toBe(!readOnlyHint && !idempotentHint && !(name in withoutKey))
  })

  test('outputs nothing that is not described', () => {
    // The response is a file; its media types are described.
    if (tool.rest?.file) return expect(tool.rest.file.contentTypes).not.toEqual([])
    const open = openSchemas(z.toJSONSchema(tool.output, { io: 'output', unrepresentable: 'throw' }))
    expect(open.filter((path) => !free.some((field) => path.includes(`.${field}.`)))).toEqual([])
  })
})

/** Returns the paths of objects in a JSON schema whose fields are not defined. */
function openSchemas(schema: unknown, path = '$'): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  if (Array.isArray(schema)) return schema.flatMap((part, index) => openSchemas(part, `${path}[${index}]`))
  const inner = Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'enum' || key === 'const' || key === 'required') return []
    if (key !== 'properties' && key !== '$defs') return openSchemas(value, `${path}.${key}`)
    return Object.entries(value as object).flatMap(([name, part]) => openSchemas(part, `${path}.${name}`))
  })
  return Object.keys(schema).length === 0 ? [path, ...inner] : inner
}

describe.for(routed)('the route of %s', ([, tool, rest]) => {
  test('is a GET exactly if it is read-only, except reading calls that need a body', () => {
    const reads = rest.method === 'GET'
    if (reads) expect(tool.annotations.readOnlyHint).toBe(true)
    else expect(tool.annotations.readOnlyHint).toBe(readingPosts.has(tool.name) && tool.name !== 'check_upload')
  })

  test('is below /api/v1 in lower case, and its path values are input fields', () => {
    expect(rest.path).toMatch(/^(\/([a-z]+(-[a-z]+)*|\{[a-zA-Z]+\}))+$/)
    const shape = shapeOf(rest.input ?? tool.input)
    for (const [, value = ''] of rest.path.matchAll(/\{(\w+)\}/g))
      expect(shape).toContain(rest.legacy?.fieldNames?.[value] ?? value)
    for (const from of Object.keys(rest.legacy?.fieldNames ?? {})) expect(rest.path).toContain(`{${from}}`)
  })

  test('lists each code without a code field once', () => {
    expect(new Set(rest.legacy?.codesWithoutCode).size).toBe(rest.legacy?.codesWithoutCode?.length ?? 0)
  })
})

function shapeOf(schema: z.ZodType): string[] {
  const { properties } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return Object.keys(properties ?? {})
}

describe.for(offered.map((tool) => [tool.name, tool] as const))('%s over MCP', ([name, tool]) => {
  test('has the scope and the hints of the contract', () => {
    const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations
    expect([tool.scope, readOnlyHint, destructiveHint, idempotentHint]).toEqual(contract[name] ?? additions[name])
  })

  test('refuses unknown fields', () => {
    const json = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'throw' })
    expect(json).toMatchObject({ type: 'object', additionalProperties: false })
  })

  test('costs clients at most about 350 tokens', () => {
    expect(tokensOf(tool)).toBeLessThanOrEqual(350)
  })
})

/**
 * Estimates the tokens that a tool takes in every conversation (name, description, input schema), at four characters
 * per token.
 */
function tokensOf(tool: Tool): number {
  const [listed] = listTools([tool])
  return JSON.stringify([listed?.name, listed?.description, listed?.inputSchema]).length / 4
}

test('all tools together cost at most 150 tokens each on average', () => {
  const sum = offered.reduce((total, tool) => total + tokensOf(tool), 0)
  expect(sum / offered.length).toBeLessThanOrEqual(150)
})
