import { html } from 'hono/html'
import { errorCatalogue } from '../../../../core/error-catalogue.ts'
import type { Html } from '../../../components/html.ts'
import { scopeDescriptions } from '../../../format/scope-descriptions.ts'
import type { ApiDocument, DescribedParameter } from '../reference/api-document.ts'
import { codeBlock, jsonBlock } from './code-block.ts'
import { curlOf, mcpCallOf } from '../reference/example-call.ts'
import { fieldList, parameterList } from './field-list.ts'
import { prose } from './prose.ts'
import type { Refusal } from '../reference/read-refusals.ts'
import type { Answer, ApiReference, Operation, RateLimit } from '../reference/read-reference.ts'

interface OperationPlace {
  reference: ApiReference
  baseUrl: string
}

/** The full description of an operation: purpose, fields, answers and refusals, with example calls next to them. */
export function operationSection(operation: Operation, place: OperationPlace): Html {
  const { id, title, route, description } = operation
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
    <div class="operation-words">
      <h2 id="${id}-title"><a href="#${id}">${title}</a></h2>
      ${
        route
          ? html`<p class="route">
              ${methodBadge(route.method)}<code data-copy="${place.baseUrl}${route.path}"
                >${pathWords(route.path)}</code
              >
            </p>`
          : html`<p class="route"><span class="method">MCP</span><code data-copy>${id}</code></p>`
      }
      <p>${prose(description)}</p>
      ${factList(operation)} ${requestParts(operation, place.reference)} ${answerPart(operation, place.reference)}
      ${refusalPart(operation)}
    </div>
    <div class="operation-code">${examples(operation, place)}</div>
  </section>`
}

/** The method of a route as a badge. */
export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`
}

/** A path with its parameters marked and a possible line break before each segment. */
function pathWords(path: string): Html {
  return html`${path
    .split(/(?=\/)/)
    .map((part) => html`<wbr />${/\{/.test(part) ? html`/<em>${part.slice(1)}</em>` : part}`)}`
}

function factList(operation: Operation): Html {
  const { rateLimit, mcp, route } = operation
  const facts: [label: string, words: Html | string][] = [
    ['Who may call it', callerWords(operation)],
    ...(mcp && route ? [['MCP tool', html`<code>${mcp.name}</code>`] as [string, Html]] : []),
    ['Rate limit', rateWords(route ? rateLimit : null, mcp?.rateLimit ?? null, route !== null)],
    ['If sent again', repeatWords(operation)],
  ]
  return html`<dl class="operation-facts">
    ${facts.map(
      ([label, words]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${words}</dd>
        </div>`,
    )}
  </dl>`
}

function callerWords({ credential, scope, route }: Operation): Html | string {
  if (credential === 'none')
    return route?.method === 'PUT' ? 'Anybody who has the address, because it is signed.' : 'Anybody, without a key.'
  const withScope = scope ? html` with the scope <code title="${scopeDescriptions[scope]}">${scope}</code>` : ''
  if (credential === 'session') return 'A signed-in browser with its CSRF token, and no key.'
  if (!route) return html`An API key or an OAuth token${withScope}, over MCP only.`
  return html`An API key${withScope}${credential === 'apiKey' ? ', and no OAuth token' : ''}.`
}

function oneRate({ bucket, calls }: RateLimit): Html {
  return html`${calls} a minute (<a href="/docs/limits#${bucket}"><code>${bucket}</code></a
    >)`
}

function rateWords(rest: RateLimit | null, mcp: RateLimit | null, hasRoute: boolean): Html {
  const overRest = rest ? oneRate(rest) : 'None'
  if (!mcp) return html`${overRest}.`
  return hasRoute ? html`${overRest}; over MCP ${oneRate(mcp)}.` : html`${oneRate(mcp)}.`
}

function repeatWords({ route, tool }: Operation): Html | string {
  if (tool?.idempotent) {
    return html`With the same <a href="/docs/idempotency"><code>Idempotency-Key</code></a> a repeat gets the first
      answer; without one, the call has its effect again.`
  }
  if (tool?.annotations.readOnlyHint ?? route?.method === 'GET') return 'Changes nothing; it can be sent again.'
  if (tool?.justification?.repeat) return tool.justification.repeat
  return tool?.annotations.idempotentHint ? 'A repeat changes nothing more.' : 'The call has its effect again.'
}

const parameterHeadings = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const

function requestParts({ parameters, body, mcp, route }: Operation, { document }: ApiReference): Html {
  const lists = parameterHeadings.flatMap(([location, heading]) => {
    const members = parameters.filter((parameter: DescribedParameter) => parameter.in === location)
    return members.length === 0
      ? []
      : [
          html`<h3>${heading}</h3>
            ${parameterList(document, members)}`,
        ]
  })
  return html`${lists} ${body ? bodyPart(body, { document, heading: route ? 'Body' : 'Arguments' }) : ''}
  ${
    mcp?.input
      ? html`<details>
          <summary>Arguments over MCP</summary>
          ${fieldList({ paths: {} }, mcp.input)}
        </details>`
      : ''
  }`
}

function bodyPart(
  { schema, required, contentType }: NonNullable<Operation['body']>,
  { document, heading }: { document: ApiDocument; heading: string },
): Html {
  const fields = fieldList(document, schema)
  if (fields === '' && contentType === 'application/json') return html``
  return html`<h3>${heading}${required ? '' : html` <span class="field-mark">optional</span>`}</h3>
    ${fields === '' ? html`<p><code>${contentType}</code></p>` : fields}`
}

function answerPart({ answers, isStream }: Operation, { document }: ApiReference): Html | '' {
  if (answers.length === 0) return ''
  return html`<h3>Answer</h3>
    ${answers.map(({ status, description, contentType, schema }) => {
      const fields = schema && !isStream ? fieldList(document, schema, true) : ''
      const words = html`${status === '' ? 'Its fields' : html`<strong>${status}</strong>`}
      ${/^Success\.?$/.test(description) ? '' : prose(description)}
      ${contentType === null ? '' : html`<code>${contentType}</code>`}`
      return fields === '' || fields === null
        ? html`<p class="answer">${words}</p>`
        : html`<details class="answer">
            <summary>${words}</summary>
            ${fields}
          </details>`
    })}`
}

function refusalPart({ refusals }: Operation): Html | '' {
  if (refusals.length === 0) return ''
  return html`<h3>Refusals</h3>
    <details class="refusals">
      <summary>${codesInWords(refusals)}</summary>
      <ul>
        ${refusals.map(
          ({ status, code, message }) =>
            html`<li>
              <p>
                <strong>${status}</strong> <a href="/docs/errors#${code}"><code>${code}</code></a>
              </p>
              <p>${errorCatalogue[code].cause} <em>${errorCatalogue[code].remedy}</em></p>
              ${message === undefined ? '' : html`<p class="field-bounds">For example: “${message}”</p>`}
            </li>`,
        )}
      </ul>
    </details>`
}

function codesInWords(refusals: readonly Refusal[]): Html {
  const statuses = [...Map.groupBy(refusals, ({ status }) => status).keys()]
  return html`${refusals.length === 1 ? '1 refusal' : `${refusals.length} refusals`}
    <span class="field-type">${statuses.join(', ')}</span>`
}

function examples(operation: Operation, { reference: { document }, baseUrl }: OperationPlace): Html {
  const { id, title, answers, route } = operation
  const mcpCall = mcpCallOf(operation)
  const curl = route && codeBlock({ source: curlOf(operation, { document, baseUrl }), language: 'bash', label: 'curl' })
  const mcp = mcpCall && jsonBlock(mcpCall, 'MCP')
  const recorded = answers.filter(({ example }) => example !== undefined)
  const answer = recorded.find(({ status }) => status === '201') ?? recorded[0]
  return html`${
    curl && mcp
      ? html`<fieldset class="tabs">
          <legend class="hidden-text">How to call “${title}”</legend>
          <label><input type="radio" name="call-${id}" value="curl" checked />curl</label>
          <label><input type="radio" name="call-${id}" value="mcp" />MCP</label>
          <div class="tab" data-call="curl">${curl}</div>
          <div class="tab" data-call="mcp">${mcp}</div>
        </fieldset>`
      : html`<div data-call="${curl ? 'curl' : 'mcp'}">${curl ?? mcp ?? ''}</div>`
  }
  ${answer ? answerExample(answer) : ''}`
}

/** A recorded answer: a file by its type only, a stream as it arrives. */
function answerExample({ status, contentType, example }: Answer): Html {
  const label = `Answer, ${status}`
  if (typeof example === 'string') return codeBlock({ source: example, language: 'http', label })
  return contentType === 'application/json' ? jsonBlock(example, label) : html``
}
