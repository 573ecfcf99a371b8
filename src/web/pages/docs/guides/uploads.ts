import { fileFormats } from '../../../../books/file-formats.ts'
import { html } from 'hono/html'
import { operationLink } from './operation-links.ts'
import { shellBlock } from '../parts/code-block.ts'
import type { Html } from '../../../components/html.ts'
import type { Guide, GuideContext } from './guide.ts'
import { withJson, withKey } from './shell.ts'

export const uploads: Guide = {
  slug: 'uploads',
  label: 'Uploading a file',
  title: 'Uploads',
  lead: 'How a file becomes a book: send it in one request, or in three steps (reserve, send, confirm), then follow the import.',
  content: uploadGuide,
}

function uploadGuide(context: GuideContext): Html {
  const { reference, baseUrl } = context
  const api = `${baseUrl}/api/v1`
  return html`<p>
      For Markdown text you need none of this:
      ${operationLink(reference, { id: 'create_markdown_item', title: 'create the book' })} in one call.
    </p>
    ${oneRequest(context)}
    <h2 id="steps">In three requests</h2>
    <p>
      You send the file to a separate, signed address that needs no key. If the server keeps its files in a bucket, it
      is an address of the bucket, and the file does not pass through Lectern.
    </p>
    <h2 id="reserve">1. Reserve a book</h2>
    <p>
      Describe the file that you are going to send: its name, its exact size in bytes, and its type. The title of the
      book comes from the name. The answer has <code>uploadUrl</code>, <code>itemId</code> and <code>storageKey</code>;
      from now on the book counts as one of your books.
    </p>
    ${shellBlock(`printf '# Field notes\\n\\nSwifts sleep on the wing.\\n' > field-notes.md
SIZE=$(wc -c < field-notes.md)

curl -s ${api}/upload \\
  ${withKey} \\
  ${withJson} \\
  -d '{"filename": "field-notes.md", "size": '$SIZE', "contentType": "text/markdown"}' \\
  -o upload.json`)}
    ${fileTypes()}
    <h2 id="send">2. Send the file</h2>
    <p>
      PUT the bytes to <code>uploadUrl</code> with the same <code>Content-Type</code>, and without an
      <code>Authorization</code> header: the address itself is signed. It works once, within 15 minutes. If it has
      expired, reserve again.
    </p>
    ${shellBlock(`curl -s -X PUT "$(jq -r .uploadUrl upload.json)" \\
  -H "Content-Type: text/markdown" \\
  --data-binary @field-notes.md`)}
    <h2 id="confirm">3. Confirm</h2>
    <p>
      The server checks the size and the content of the file, then queues the import. With
      <code>replacesItemId</code> the new book replaces one of yours, also on its shelves and in your teams.
    </p>
    ${shellBlock(`jq '{itemId, storageKey}' upload.json |
  curl -s ${api}/upload/confirm \\
    ${withKey} \\
    ${withJson} \\
    -d @- -o import.json`)}
    ${problems()} ${followImport(context)}`
}

function oneRequest({ reference, baseUrl }: GuideContext): Html {
  return html`<h2 id="one-request">In one request</h2>
    <p>
      ${operationLink(reference, { id: 'upload_file', title: 'Send the file' })} as the body. curl appends the name of
      the file to the address. Other programs must append it themselves, percent-encoded. They may use POST instead of
      PUT. The title comes from the name. The answer is that of <a href="#confirm">the confirmation</a>.
    </p>
    ${shellBlock(`printf '# Tide tables\\n\\nHigh water comes twice a day.\\n' > tides.md

curl -s -T tides.md ${withKey} ${baseUrl}/api/v1/upload/`)}
    <p>
      If the name, the length or the plan is a reason to refuse the file, the server does so before it reads the body
      (<code>Expect: 100-continue</code> works). A refused or incomplete file leaves nothing behind. An
      <code>Idempotency-Key</code> makes a repeat safe; send the password of an encrypted PDF in the header
      <code>X-File-Password</code>, and <code>?replacesItemId=</code> names a book that the new one replaces. An account
      can send four files at a time; further ones wait for their turn.
    </p>`
}

function fileTypes(): Html {
  const rows = Object.values(fileFormats).map(({ name, extensions, contentTypes }) => [
    `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    extensions.join(', '),
    contentTypes.join(' or '),
  ])
  return html`<div class="table-wrap" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">File</th>
          <th scope="col">Name ends in</th>
          <th scope="col"><code>contentType</code></th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([name, ending, type]) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td><code>${ending}</code></td>
              <td><code>${type}</code></td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

function problems(): Html {
  const rows = [
    ['UPLOAD_MISSING', 'Nothing has arrived yet.', 'PUT the file, then confirm again.'],
    ['UPLOAD_SIZE_MISMATCH', 'The size is not the one that was reserved.', 'Reserve again with the exact size.'],
    ['UPLOAD_TYPE_MISMATCH', 'The bytes are of another kind of file.', 'Send a file of the format that the name says.'],
  ]
  return html`<p>If the file does not match the reservation, it is refused with 400 and a <code>reason</code>:</p>
    <div class="table-wrap" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col"><code>reason</code></th>
            <th scope="col">Cause</th>
            <th scope="col">Remedy</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ([reason, cause, remedy]) =>
              html`<tr>
                <th scope="row"><code>${reason}</code></th>
                <td>${cause}</td>
                <td>${remedy}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`
}

function followImport({ reference, baseUrl }: GuideContext): Html {
  const api = `${baseUrl}/api/v1`
  return html`<h2 id="follow">4. Follow the import</h2>
    <p>
      The import is finished when the job is <code>SUCCEEDED</code>: after a second for Markdown, after minutes for a
      long PDF. Until then you can read the pages that are ready. Poll the job from time to time, or
      <a href="/docs/events">listen to the events</a>.
    </p>
    ${shellBlock(`curl -s ${api}/jobs/$(jq -r .job.id import.json) \\
  ${withKey}`)}
    <p>
      <code>status</code> is <code>PENDING</code>, <code>RUNNING</code>, <code>SUCCEEDED</code>, <code>FAILED</code> or
      <code>CANCELLED</code>; <code>progress</code> is in percent; <code>error</code> says what went wrong. The file is
      kept after a failed import, so that
      ${operationLink(reference, { id: 'reprocess_item', title: 'it can be imported again' })}.
    </p>
    <h2 id="twice">A file that you have already</h2>
    <p>
      ${operationLink(reference, { id: 'check_upload', title: 'Check first' })} with the name, and the SHA-256 if you
      have it: the answer lists your books that may be the same, best match first. A <code>score</code> of 1 with a
      SHA-256 is the same file.
    </p>
    ${shellBlock(`SHA256=$(sha256sum field-notes.md | cut -d' ' -f1)

curl -s ${api}/upload/check \\
  ${withKey} \\
  ${withJson} \\
  -d '{"filename": "field-notes.md", "sha256": "'$SHA256'"}'`)}`
}
