import { html } from 'hono/html'
import type { ImportState } from '../../src/imports/list-imports.ts'
import { chips } from '../../src/web/components/chips.ts'
import { cover } from '../../src/web/components/cover.ts'
import { emptyState } from '../../src/web/components/empty-state.ts'
import { copyField, field, textField } from '../../src/web/components/fields.ts'
import type { Html } from '../../src/web/components/html.ts'
import { icon, type IconName } from '../../src/web/components/icon.ts'
import { iconPaths } from '../../src/web/components/icon-paths.ts'
import { layout } from '../../src/web/components/layout.ts'
import { menu } from '../../src/web/components/menu.ts'
import { importStatus } from '../../src/web/components/import-status.ts'

const books: readonly (readonly [title: string, author: string | null])[] = [
  ['Debian Policy Manual', 'The Debian Policy Mailing List'],
  ['Filesystem Hierarchy Standard 3.0', 'LSB Workgroup'],
  ['Field notes', null],
  ['On the Origin of Species by Means of Natural Selection, or the Preservation of Favoured Races', 'Charles Darwin'],
  ['Ulysses', 'James Joyce'],
  ['Donaudampfschifffahrtsgesellschaftskapitän', 'Anna Lehmann'],
  ['A', 'B'],
]

const at = '2026-11-20T10:00:00.000Z'
const job = { id: 'job', itemId: 'book', type: 'import', stage: 'reading', errorCode: null } as const
const running = { ...job, status: 'RUNNING', ahead: null, createdAt: at, updatedAt: at } as const
const imports: readonly ImportState[] = [
  { ...running, pages: { done: 3358, total: 5790 } },
  { ...running, status: 'PENDING', pages: null },
]

/** A page that shows every component of the design between header and footer. */
export function galleryPage(): Html {
  return layout({
    title: 'Gallery',
    currentPath: '/',
    width: 'wide',
    user: { name: 'Anna Lehmann', csrfToken: 'none', isAdministrator: true, unread: 120, singleKeys: true },
    content: html`<div class="page-head">
        <h1>Gallery</h1>
        <div class="actions"><a class="button" href="#add">${icon('plus')}Add books</a></div>
      </div>
      <p class="lead">Every component once, with short and with long content.</p>
      ${chips('Filters', [
        { label: 'All', url: '#all', current: true, count: '999+' },
        { label: 'Debian', url: '#debian', current: false, count: '3' },
        { label: 'Needs attention', url: '#attention', current: false, icon: 'triangle-alert' },
      ])}
      <h2>Covers</h2>
      <div class="book-grid">
        ${books.map(([title, author]) => cover({ title, author, language: title.startsWith('Donau') ? 'de' : 'en' }))}
        ${cover({ title: 'Being imported.pdf', author: null, waiting: true })}
      </div>
      <h2>Buttons and menus</h2>
      <div class="actions">
        <button>Save</button><button class="quiet">Cancel</button><button class="grave">Delete</button>
        <button class="small">Share</button><button class="quiet small">Rename</button><button disabled>Not now</button
        ><button class="link">Looks like a link</button>
        ${menu({
          label: 'More',
          content: html`<ul>
            <li><a href="#one">${icon('download')}Download</a></li>
          </ul>`,
        })}
      </div>
      <h2>Messages</h2>
      <p class="notice" role="status">Saved.</p>
      <p class="problem" role="alert">This name is taken. Choose another.</p>
      <p class="caution">Assistants of other vendors cannot reach this address.</p>
      <h2>Progress</h2>
      ${imports.map((state) => importStatus(state, { title: 'Field notes' }))} ${forms()}
      <h2>Tables and cards</h2>
      <div class="table-wrap">
        <table>
          <thead>
            <tr>
              <th scope="col">Book</th>
              <th scope="col">Pages</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <td>Debian Policy Manual <span class="tag">New</span></td>
              <td>193</td>
            </tr>
          </tbody>
        </table>
      </div>
      <section class="card">
        <h3>A card</h3>
        <p class="facts">With facts in small letters, and <mark>marked words</mark>.</p>
      </section>
      ${emptyState({
        icon: 'library',
        title: 'No books yet',
        text: 'Books that you add or that others share with you stand here.',
        actions: html`<a class="button" href="#add">Add books</a>`,
      })}
      <h2>Icons</h2>
      <p>${(Object.keys(iconPaths) as IconName[]).map((name) => html`${icon(name)} `)}</p>`,
  })
}

function forms(): Html {
  const problem = { status: 400, message: 'Enter an email address.', field: 'email', retryAfterSeconds: undefined }
  const state = { form: new URLSearchParams({ email: 'anna@', name: 'Anna' }), problem }
  return html`<h2>Forms</h2>
    <form class="form" method="post">
      ${field(state, { name: 'name', label: 'Your name', autocomplete: 'name', required: false, hint: 'As others see it.' })}
      ${field(state, { name: 'email', label: 'Email address', type: 'email', autocomplete: 'email' })}
      ${textField(state, { name: 'body', label: 'Description', value: 'Several\nlines' })}
      <div class="field">
        <label for="kind">Kind</label
        ><select id="kind" name="kind">
          <option>Everything</option>
        </select>
      </div>
      <label class="tick"><input type="checkbox" name="tick" checked /><span>Also tell me by mail</span></label>
      ${copyField('API key', 'lectern_000000')}
    </form>`
}
