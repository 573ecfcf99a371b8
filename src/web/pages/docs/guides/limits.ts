import { html } from 'hono/html'
import { rateLimits, rateWindowMs } from '../../../../accounts/rate-limiter.ts'
import type { Plan } from '../../../../core/plan.ts'
import type { Html } from '../../../components/html.ts'
import { codeBlock, shellBlock } from '../parts/code-block.ts'
import type { Guide, GuideContext } from './guide.ts'
import { allOperations, operationLink } from './operation-links.ts'
import { withKey } from './shell.ts'

export const limits: Guide = {
  slug: 'limits',
  label: 'Limits',
  title: 'Limits',
  lead: 'How many calls a minute, how large a request and an answer may be, and what the plans allow.',
  content: limitGuide,
}

function limitGuide(context: GuideContext): Html {
  return html`<h2 id="rates">Calls a minute</h2>
    <p>
      Calls are counted for each account in buckets. A window of ${rateWindowMs / 1000} seconds begins with the first
      call, and the bucket says how many calls may be made in it. Operations without a bucket are not limited over REST.
      Over MCP every call counts in
      <code>mcp_read</code> or <code>mcp_write</code>, by its scope.
    </p>
    ${rateTable(context)}
    <p>
      The headers of each counted answer show how many calls remain. Beyond the limit, the answer is 429
      <a href="/docs/errors#RATE_LIMITED"><code>RATE_LIMITED</code></a
      >: wait for the number of seconds in <code>Retry-After</code>.
    </p>
    ${shellBlock(`curl -s -G -D - -o results.json ${context.baseUrl}/api/v1/items/search \\
  ${withKey} \\
  -d query=notes`)}
    ${codeBlock({
      source: `HTTP/1.1 200 OK
RateLimit-Limit: ${rateLimits.searches}
RateLimit-Remaining: ${rateLimits.searches - 1}
RateLimit-Reset: ${rateWindowMs / 1000}`,
      language: 'http',
      label: 'Headers of the answer',
    })}
    <h2 id="sizes">Sizes</h2>
    ${sizeTable()}
    <h2 id="reads">Reads</h2>
    <p>
      Opening a book in a call is one read, whatever the number of its pages. Searching, listing and checking citations
      cost no reads, and neither do books that are not found, locked or left out. A plan may limit the reads per month.
      When all are used, the answer is
      <a href="/docs/errors#READ_LIMIT_EXCEEDED"><code>READ_LIMIT_EXCEEDED</code></a> with <code>resetsAt</code>.
    </p>
    ${shellBlock(`curl -s ${context.baseUrl}/api/v1/auth/whoami ${withKey} |
  jq '{tier, monthlyReadsUsed, monthlyReadLimit, itemCount, itemLimit}'`)}
    <h2 id="plans">Plans of this server</h2>
    ${planTable(context)}
    <p>
      A call beyond a limit of the plan is refused with a sentence for the owner of the account. Show it to them, and do
      not retry.
    </p>`
}

function rateTable({ reference }: GuideContext): Html {
  const operations = allOperations(reference).filter(({ isStream }) => !isStream)
  return html`<div class="table-wrap" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Bucket</th>
          <th scope="col">Calls</th>
          <th scope="col">What counts</th>
        </tr>
      </thead>
      <tbody>
        ${Object.entries(rateLimits).map(([bucket, calls]) => {
          const members = operations.filter(({ rateLimit }) => rateLimit?.bucket === bucket)
          return html`<tr id="${bucket}">
            <th scope="row"><code>${bucket}</code></th>
            <td>${calls}</td>
            <td>
              ${
                members.length === 0
                  ? bucketWords.get(bucket)
                  : members.map((member, index) => html`${index === 0 ? '' : ', '}${operationLink(reference, member)}`)
              }
            </td>
          </tr>`
        })}
      </tbody>
    </table>
  </div>`
}

const bucketWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    mcp_read: 'Every tool call whose scope reads',
    mcp_write: 'Every tool call whose scope writes',
  }),
)

function sizeTable(): Html {
  const rows = [
    ['Body of a request', '1 MiB, unless the operation says otherwise'],
    ['Text of a book in one write', '1,000,000 bytes; create the first part, then append the rest'],
    ['A Markdown book', '1,000 pages and 20 MB'],
    ['Books in one read', '50'],
    ['Answer to reading pages, over REST', '1,000,000 bytes; the rest is named in nextPages'],
    ['Any answer over MCP', '60,000 characters, about 20,000 tokens'],
    ['An idempotency key', '255 characters, kept for 24 hours'],
    ['Open event streams', '10 for an account'],
  ]
  return html`<div class="table-wrap" tabindex="0">
    <table>
      <tbody>
        ${rows.map(
          ([what, limit]) =>
            html`<tr>
              <th scope="row">${what}</th>
              <td>${limit}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

const planRows: readonly [string, (plan: Plan) => string][] = [
  ['Books', ({ itemLimit }) => number(itemLimit)],
  ['Reads a month', ({ monthlyReadLimit }) => number(monthlyReadLimit)],
  ['Size of a file', ({ uploadMb }) => `${number(uploadMb)} MB`],
  ['Storage', ({ storageMb }) => (storageMb === null ? 'unlimited' : `${number(storageMb)} MB`)],
  ['Shelves', ({ shelfLimit }) => number(shelfLimit)],
  ['Active manuscripts', ({ manuscriptSlots }) => number(manuscriptSlots)],
  ['Pages of a Pro book', ({ previewPages }) => (previewPages === null ? 'all' : `first ${previewPages}`)],
  ['Publishing', ({ canPublish }) => (canPublish ? 'yes' : 'no')],
]

function planTable({ plans }: GuideContext): Html {
  const shown = plans.tiers.map((tier) => plans.byTier(tier))
  return html`<div class="table-wrap" tabindex="0">
    <table>
      <thead>
        <tr>
          <td></td>
          ${shown.map(({ tier, tierDisplay }) => html`<th scope="col">${tierDisplay}<br /><code>${tier}</code></th>`)}
        </tr>
      </thead>
      <tbody>
        ${planRows.map(
          ([label, words]) =>
            html`<tr>
              <th scope="row">${label}</th>
              ${shown.map((plan) => html`<td>${words(plan)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

function number(count: number | null): string {
  return count === null ? 'unlimited' : count.toLocaleString('en')
}
