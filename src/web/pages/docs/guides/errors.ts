import { STATUS_CODES } from 'node:http'
import { html } from 'hono/html'
import { errorCatalogue } from '../../../../core/error-catalogue.ts'
import type { ErrorCode } from '../../../../core/errors.ts'
import { httpErrorMappings } from '../../../../transport/refusals.ts'
import type { Html } from '../../../components/html.ts'
import { jsonBlock, shellBlock } from '../parts/code-block.ts'
import type { Guide, GuideContext } from './guide.ts'
import { withJson, withKey } from './shell.ts'

export const errors: Guide = {
  slug: 'errors',
  label: 'Errors',
  title: 'Errors',
  lead: 'Every refusal gives its reason and says what to do next. This page lists all of them.',
  content: errorGuide,
}

function errorGuide({ baseUrl }: GuideContext): Html {
  const codes = Object.keys(errorCatalogue) as ErrorCode[]
  const statuses = [...Map.groupBy(codes, (code) => httpErrorMappings[code].status)].sort(([a], [b]) => a - b)
  return html`<h2 id="shape">What a refusal looks like</h2>
    <p>Over REST, an HTTP status and JSON:</p>
    ${shellBlock(
      `curl -s ${baseUrl}/api/v1/items/markdown \\
  ${withKey} \\
  ${withJson} \\
  -d '{"content": "A book without a title."}'`,
      { label: 'Refused with 400', refused: 400 },
    )}
    ${jsonBlock({ error: 'title is required', code: 'INVALID_INPUT', requestId: '01k9x3f0q2…' }, 'The answer')}
    <ul>
      <li><code>error</code>: a sentence for people that says what to do. Its wording may change.</li>
      <li>
        <code>code</code>: for programs. Your program should decide by the code, not by the wording. A few refusals have
        no code: then decide by the status.
      </li>
      <li>
        <code>requestId</code>: identifies the request in the log of the server; it is also in the header
        <code>X-Request-Id</code> of every answer. Include it when you ask the administrator.
      </li>
      <li>
        Some refusals have more fields, such as <code>currentVersion</code>, <code>upgradeUrl</code> or
        <code>retryAfterSeconds</code>.
      </li>
    </ul>
    <p>
      Over MCP a refusal is a result with <code>isError: true</code>. Its first text is written for a model; the second
      is JSON with <code>code</code>, <code>retryable</code>, <code>next</code> (the remedy) and <code>requestId</code>.
    </p>
    <h2 id="again">Which calls to repeat</h2>
    <p>
      Repeat only calls whose refusal is marked <span class="field-mark needed">retry</span>, after the seconds in
      <code>Retry-After</code>. All others are refused again until something changes. Status 500 means an error of the
      server: you can repeat the call once, with <a href="/docs/idempotency">an idempotency key</a> if it creates
      something.
    </p>
    ${statuses.map(
      ([status, members]) =>
        html`<h2 id="status-${status}">${status} ${STATUS_CODES[status] ?? ''}</h2>
          <dl class="error-codes">${members.map((code) => errorEntry(code))}</dl>`,
    )}`
}

function errorEntry(code: ErrorCode): Html {
  const { cause, remedy, retryable } = errorCatalogue[code]
  const { bodyCode } = httpErrorMappings[code]
  return html`<div id="${code}">
    <dt>
      <a href="#${code}"><code>${code}</code></a
      >${retryable ? html` <span class="field-mark needed">retry</span>` : ''}
    </dt>
    <dd>${cause}</dd>
    <dd><strong>Remedy:</strong> ${remedy}</dd>
    ${bodyCode === false ? html`<dd class="field-bounds">Over REST the answer has no <code>code</code>.</dd>` : ''}
    ${typeof bodyCode === 'string' ? html`<dd class="field-bounds">Over REST the code is <code>${bodyCode}</code>.</dd>` : ''}
  </div>`
}
