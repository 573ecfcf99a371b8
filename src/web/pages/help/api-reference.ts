import { html } from 'hono/html'
import { z } from 'zod'
import { routePath, type Declaration } from '../../../core/tool.ts'
import type { Html } from '../../components/html.ts'

interface Schema {
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
}

/** The API reference: every tool and route with its fields, rendered from the declarations. */
export function apiReference(tools: readonly Declaration[], baseUrl: string): Html {
  const groups = Map.groupBy(tools, groupOf)
  return html`
    <h1>API reference</h1>
    <p class="lead">Each operation is an MCP tool, a REST route or both, with the same fields and limits.</p>
    <p>MCP URL: <code>${baseUrl}/api/v1/mcp</code>. REST base: <code>${baseUrl}/api/v1</code>.</p>
    <p>
      Send an API key with every request: <code>Authorization: Bearer KEY</code>. Errors are JSON with
      <code>error</code>, <code>requestId</code> and, for most errors, <code>code</code>.
    </p>
    <nav class="index" aria-label="Operations">
      <ul>
        ${tools.map(({ name, title }) => html`<li><a href="#${name}">${title}</a></li>`)}
      </ul>
    </nav>
    ${[...groups].map(
      ([group, members]) =>
        html`<h2 id="group-${group}">${groupHeadings[group] ?? group}</h2>
          ${members.map(operationSection)}`,
    )}
  `
}

const credentials = {
  apiKey: 'API key only, no OAuth token',
  session: 'browser session with X-CSRF-Token, no API key',
  none: 'no authentication',
} as const

const groupHeadings: Record<string, string> = {
  auth: 'Account',
  items: 'Books',
  upload: 'Upload',
  jobs: 'Imports',
  shelves: 'Shelves',
  manuscripts: 'Manuscripts',
  marketplace: 'Marketplace',
  author: 'Reader requests',
  librarian: 'Library requests',
  suggest_book: 'Suggestions',
  library_summary: 'Overview',
}

function groupOf({ rest, name }: Declaration): string {
  return rest?.path.split('/')[1] ?? name
}

function operationSection(tool: Declaration): Html {
  const { name, title, description, scope, rateBucket, mcp, rest } = tool
  const input = z.toJSONSchema(rest?.input ?? tool.input, { io: 'input', unrepresentable: 'any' }) as Schema
  const output = z.toJSONSchema(tool.output, { io: 'output', unrepresentable: 'any' }) as Schema
  const credential = rest?.credential === undefined ? [] : [credentials[rest.credential]]
  const bodyFieldNote =
    rest?.legacy?.bodyField === undefined ? [] : [`the REST response is the value of ${rest.legacy.bodyField}`]
  const details = [
    `scope ${scope}`,
    ...(rateBucket === 'none' ? [] : [`rate bucket ${rateBucket}`]),
    ...credential,
    ...bodyFieldNote,
  ].join(' · ')
  return html`<article class="operation" id="${name}">
    <h3>${title}</h3>
    ${rest ? html`<p class="address"><span class="method">${rest.method}</span>${routePath(rest)}</p>` : ''}
    ${mcp === false ? '' : html`<p class="address"><span class="method">MCP</span>${name}</p>`}
    <p>${description}</p>
    <p class="facts">${details}</p>
    ${fieldList('Request', input)} ${fieldList('Response', output)}
  </article>`
}

function fieldList(label: string, schema: Schema): Html | '' {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return ''
  return html`<details>
    <summary>${label}</summary>
    <dl>
      ${fields.map(
        ([name, field]) =>
          html`<dt>${name}${schema.required?.includes(name) ? '' : '?'} <span>${describeType(field)}</span></dt>
            ${field.description ? html`<dd>${field.description}</dd>` : ''}`,
      )}
    </dl>
  </details>`
}

function describeType(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf) return schema.anyOf.map(describeType).join(' | ')
  if (schema.items) return `array of ${describeType(schema.items)}`
  if (schema.properties) return `{${Object.keys(schema.properties).join(', ')}}`
  return [schema.type ?? 'any'].flat().join(' | ')
}
