import { html } from 'hono/html'
import type { Html } from '../../../components/html.ts'
import { codeBlock, shellBlock } from '../parts/code-block.ts'
import type { Guide, GuideContext } from './guide.ts'
import { allOperations, operationLink, operationLinks } from './operation-links.ts'
import { withKey } from './shell.ts'

export const events: Guide = {
  slug: 'events',
  label: 'Events',
  title: 'Events',
  lead: 'How a program follows imports without polling, and how it gets notifications.',
  content: eventGuide,
}

function eventGuide({ reference, baseUrl }: GuideContext): Html {
  const streams = allOperations(reference).filter(({ isStream }) => isStream)
  return html`<p>
      Lectern streams changes as
      <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html" rel="noreferrer">server-sent events</a>:
      one HTTP response of plain text that stays open, which every HTTP library can read. There are no webhooks: the
      server calls nobody.
    </p>
    <p>Operations that stream:</p>
    ${operationLinks(reference, streams)}
    <h2 id="listen">Listen</h2>
    ${shellBlock(`curl -N --max-time 60 ${baseUrl}/api/v1/jobs/events \\
  ${withKey}`)}
    <p>
      The stream first sends all current jobs, then each job again whenever it changes. Every event contains the
      complete job:
    </p>
    ${codeBlock({ source: sample, language: 'http', label: 'What arrives' })}
    <ul>
      <li><code>event</code> is the kind of thing that changed, <code>data</code> is its JSON, as in the list.</li>
      <li>Every 15 seconds the stream sends a line that begins with a colon, to keep the connection open. Skip it.</li>
      <li>
        An account may have 10 streams open on a server; one more is refused with
        <a href="/docs/errors#RATE_LIMITED"><code>RATE_LIMITED</code></a
        >.
      </li>
    </ul>
    <h2 id="go-on">Continue after an interruption</h2>
    <p>
      A stream ends after 10 minutes, and whenever the server restarts. Open it again with the last <code>id</code> in
      the header <code>Last-Event-ID</code>, so that only later changes are sent. Clients for server-sent events do both
      automatically.
    </p>
    ${shellBlock(`curl -N --max-time 60 ${baseUrl}/api/v1/jobs/events \\
  ${withKey} \\
  -H "Last-Event-ID: 2026-11-22T09:41:07.112Z"`)}
    <h2 id="notifications">Notifications</h2>
    <p>
      What a person should know (an import has finished, a book was shared, a request was answered) is a notification.
      ${operationLink(reference, { id: 'list_notifications', title: 'List them' })}, by <code>type</code> if you wait
      for one kind, and ${operationLink(reference, { id: 'mark_notifications_read', title: 'mark them as read' })}.
    </p>
    ${shellBlock(`curl -s -G ${baseUrl}/api/v1/user/notifications \\
  ${withKey} \\
  -d unread=true -d type=import_finished`)}`
}

const sample = `retry: 1000

event: job
id: 2026-11-22T09:41:07.112Z
data: {"id":"01k9x3","itemId":"01k9x2","type":"import","status":"RUNNING","progress":40, …}

event: job
id: 2026-11-22T09:41:09.640Z
data: {"id":"01k9x3","itemId":"01k9x2","type":"import","status":"SUCCEEDED","progress":100, …}`
