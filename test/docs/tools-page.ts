import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { rateLimits, rateWindowMs } from '../../src/accounts/rate-limiter.ts'
import { scopes } from '../../src/core/scopes.ts'
import type { Declaration } from '../../src/core/tool.ts'
import { scopeDescriptions } from '../../src/web/format/scope-descriptions.ts'
import { tools } from '../../tools/index.ts'
import { root } from './read-documents.ts'

/** The folder below `tools/` that contains a declaration. */
function foldersByName(): Map<string, string> {
  const files = readdirSync(join(root, 'tools'), { recursive: true, encoding: 'utf8' })
  return new Map(
    files.flatMap((file) => {
      const [, folder, name] = /^(\w+)\/(.+)\.ts$/.exec(file) ?? []
      return folder && name ? [[name.replaceAll('-', '_'), folder] as const] : []
    }),
  )
}

function routeCell({ rest }: Declaration): string {
  if (!rest) return ''
  const { method, base, path, events } = rest
  const address = `${method} \`${base ?? ''}${path}\``
  return events ? `${address}; \`${events.path}\` streams changes (server-sent events)` : address
}

const credentialNotes = {
  apiKey: 'API key only',
  session: 'signed-in browser only',
  none: 'the route needs no credential',
} as const

function hintsCell({ annotations, idempotent, rest }: Declaration): string {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations
  const hints = [
    readOnlyHint ? 'read-only' : 'writes',
    ...(destructiveHint ? ['destructive'] : []),
    ...(idempotentHint && !readOnlyHint ? ['idempotent'] : []),
    ...(openWorldHint ? ['open world'] : []),
    ...(idempotent ? ['idempotency key'] : []),
    ...(rest?.credential ? [credentialNotes[rest.credential]] : []),
  ]
  return hints.join(', ')
}

function row(tool: Declaration): string {
  const { name, scope, rateBucket, description } = tool
  const limit = rateBucket === 'none' ? '' : `\`${rateBucket}\``
  const cells = [`\`${name}\``, routeCell(tool), `\`${scope}\``, limit, hintsCell(tool), description]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function tables(declarations: readonly Declaration[]): string {
  const folders = foldersByName()
  const groups = Map.groupBy(declarations, ({ name }) => folders.get(name) ?? '')
  return [...groups]
    .map(([folder, members]) =>
      [
        `### ${folder[0]?.toUpperCase()}${folder.slice(1)}`,
        '',
        '| tool | route | scope | rate limit | hints | what it does |',
        '| --- | --- | --- | --- | --- | --- |',
        ...members.map(row),
      ].join('\n'),
    )
    .join('\n\n')
}

/** Writes the page of all capabilities. */
export function renderToolsPage(): string {
  const offered = tools.filter(({ mcp }) => mcp !== false)
  const restOnly = tools.filter(({ mcp }) => mcp === false)
  const limits = Object.entries(rateLimits).map(([bucket, limit]) => `| \`${bucket}\` | ${limit} |`)
  return `# Tools and routes

<!-- Written by \`npm run docs\` from the declarations in tools/; a test fails when this file is not what that writes. -->

Each capability is declared once, in \`tools/\`. The MCP tool, the REST route, the OpenAPI operation and the page \`/docs\` of a
running server are generated from this declaration. Inputs and outputs are described on \`/docs\`, in \`/api/v1/openapi.json\`, and
in the answer to \`tools/list\`.

- **Route**: the path below \`/api/v1\`. A path that begins with \`/api\` is complete.
- **Scope**: the permission that the API key or token needs.
- **Rate limit**: the bucket that a REST call counts in. Over MCP each call counts in \`mcp_read\` or \`mcp_write\`, by its scope.
- **Hints**: the annotations of the MCP tool. "Idempotency key": the call takes an \`Idempotency-Key\` header, or
  \`idempotencyKey\` over MCP; a repeat with the same key within 24 hours gets the first answer.

Refusals are listed in [errors.md](errors.md). How agents work with the tools is described in [agents.md](agents.md).

## Tools over MCP

${offered.length} tools at \`/api/v1/mcp\`. Those with a route are also available over REST.

${tables(offered)}

## Capabilities over REST only

${restOnly.length} capabilities that applications and web pages use and agents do not need.

${tables(restOnly)}

## Other addresses

| address | what it does |
| --- | --- |
| POST \`/api/v1/mcp\` | the MCP endpoint (Streamable HTTP) |
| PUT \`/api/v1/upload/blob/{token}\` | receives the file of an upload; \`start_upload\` returns the address, which works once, within 15 minutes |
| POST \`/api/v1/upload/{filename}\` | the same as PUT (\`upload_file\`) |
| GET \`/opds\`, \`/opds/v2\` | the library for reading apps, in OPDS 1.2 and 2.0; see [library.md](library.md#reading-apps) |
| GET \`/api/v1/openapi.json\` | the OpenAPI 3.1 description; needs no credential |
| GET \`/docs\` | the API reference for people |
| GET \`/healthz\`, \`/readyz\`, \`/metrics\` | operation; see [deploying.md](deploying.md#health-and-metrics) |

## Scopes

| scope | what it permits |
| --- | --- |
${scopes.map((scope) => `| \`${scope}\` | ${scopeDescriptions[scope]} |`).join('\n')}

## Rate limits

The table shows how many calls an account may make in a window of ${rateWindowMs / 1000} seconds. A window begins with its first call. Further calls are
refused with RATE_LIMITED and a \`Retry-After\` header in seconds.

| bucket | calls |
| --- | --- |
${limits.join('\n')}
`
}
