import { fileContentTypes, fileExtensions, formatNames } from '../../../books/file-formats.ts'
import { html } from 'hono/html'
import { AppError } from '../../../core/errors.ts'
import { libraryRoom, type LibraryRoom } from '../../../imports/library-room.ts'
import { createSlots, type Slots } from '../../../runtime/slots.ts'
import { ShelfList, type Shelf } from '../../../shelves/schema.ts'
import { readMultipart, type MultipartFile } from '../../../transport/read-multipart.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { addBooksQueue } from '../../components/add-books-queue.ts'
import { formProblem, hiddenField } from '../../components/fields.ts'
import { icon } from '../../components/icon.ts'
import type { Html } from '../../components/html.ts'
import { formatSize } from '../../../text/format-size.ts'
import { requireSessionToken, toFormProblem, type Form, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { addFile, type FileOutcome } from './add-file.ts'
import { mountAddUrl, urlForm } from './add-url.ts'
import { mountAddScriptRoutes } from './script-routes.ts'
import { fileResults } from './file-results.ts'

/** Maximum number of files in one form. */
const maxFiles = 100

/** Mounts /add: adds files as books, with and without JavaScript, and from URLs. */
export function mountAdd(routes: PageRoutes): void {
  // Each form keeps one file on the disk that no plan counts yet. There is no maximum for all: slow senders could keep the form from others.
  const forms = createSlots({ perKey: 2, total: Infinity, maxWaitingPerKey: 4, maxWaitMs: 20_000 })
  routes.signedInPage('GET', '/add', (visit) => addPage(visit))
  routes.signedInPage('POST', '/add', (visit) => addFiles(visit, forms))
  mountAddUrl(routes, (visit, urlState) => addPage(visit, { urlState }))
  mountAddScriptRoutes(routes)
}

interface Added {
  outcomes: readonly FileOutcome[]
  /** True if some files of the form were skipped. */
  isCut: boolean
}

async function addFiles(visit: SignedInVisit, forms: Slots): Promise<Response> {
  const outcomes: FileOutcome[] = []
  let form: Form | undefined
  let isCut = false
  const releaseForm = await takeForm(visit, forms)
  try {
    const onFile = async (file: MultipartFile, fields: Form) => {
      form = fields
      // Checked before the file is stored.
      requireSessionToken(visit, fields)
      visit.requestState.receivesFiles = true
      if (file.filename === '') return
      const options = {
        shelf: fields.get('shelf') ?? '',
        again: fields.get('again') === 'on',
        password: fields.get('password') ?? '',
      }
      outcomes.push(await addFile(visit, file, options))
    }
    const read = await readMultipart(visit.request, { maxFiles, onFile })
    form = read.fields
    isCut = read.hasMoreFiles
    requireSessionToken(visit, form)
    if (outcomes.length === 0)
      throw new AppError('INVALID_INPUT', 'Choose at least one file.', { details: { field: 'files' } })
  } catch (error) {
    const problem = toFormProblem(error)
    // The page shows the library, which is not for a session that has ended.
    if (!problem || problem.status === 401) throw error
    return addPage(visit, { state: { form, problem }, added: { outcomes, isCut: false } })
  } finally {
    releaseForm()
  }
  const isSimple = outcomes.every((outcome) => outcome.kind === 'added' && outcome.shelved)
  if (isSimple && !isCut) return redirect(visit, `/imports?added=${outcomes.length}`)
  return addPage(visit, { state: { form }, added: { outcomes, isCut } })
}

async function takeForm({ ctx, request }: SignedInVisit, forms: Slots): Promise<() => void> {
  const releaseForm = await forms.take(ctx.actor.id, request.signal)
  if (releaseForm) return releaseForm
  throw new AppError(
    'RATE_LIMITED',
    'You are already sending files in other windows. Wait until those uploads have finished, then try again.',
    {
      retryAfterSeconds: 30,
    },
  )
}

interface AddPageState {
  state?: FormState
  /** The state of the URL form. */
  urlState?: FormState
  added?: Added
}

async function addPage(
  visit: SignedInVisit,
  { state = {}, urlState = {}, added }: AddPageState = {},
): Promise<Response> {
  const [room, { shelves }] = await Promise.all([
    libraryRoom(visit.ctx),
    callToolForVisit(visit, { name: 'list_shelves' }, ShelfList),
  ])
  const problem = state.problem ?? urlState.problem
  const hasRefusals = added?.outcomes.some(({ kind }) => kind !== 'added') ?? false
  return respondPage(visit, {
    title: hasRefusals && !problem ? 'Error: Add books' : 'Add books',
    problem,
    scripts: ['add-books', 'live-imports'],
    content: html`<div class="page-head">
        <h1>Add books</h1>
        <a class="button quiet" href="/imports">${icon('clock')}Imports</a>
      </div>
      ${added ? fileResults(added.outcomes) : ''}
      ${added?.isCut ? html`<p class="problem" role="alert">Only the first ${maxFiles} files were processed. Send the others again.</p>` : ''}
      ${formProblem(state)}
      ${room.booksLeft === 0 ? fullLibrary(room) : html`${addForm(visit, { state, room, shelves })} ${urlForm(visit, urlState)}`}
      <h2>Write a book</h2>
      <p>You can write a Markdown book here, or let a connected assistant write one.</p>
      <p><a class="button quiet" href="/add/markdown">Write a Markdown book</a></p>`,
  })
}

function fullLibrary({ itemLimit }: LibraryRoom): Html {
  return html`<p class="lead">Your library is full: it has ${count(itemLimit)} of ${count(itemLimit)} books.</p>
    <p>Delete books that you no longer need, or ask for a larger plan.</p>
    <p class="actions">
      <a class="button" href="/plans">See the plans</a> <a class="button quiet" href="/library">Go to the library</a>
    </p>`
}

interface AddForm {
  state: FormState
  room: LibraryRoom
  shelves: readonly Shelf[]
}

const accepted = [...fileExtensions, ...fileContentTypes.filter((type) => type !== 'application/zip')].join(',')

function addForm(visit: SignedInVisit, { state, room, shelves }: AddForm): Html {
  const { form, problem } = state
  const token = sessionToken(visit)
  const isMissing = problem?.field === 'files'
  return html`<p class="lead">${libraryRoomText(room)}</p>
    <form method="post" action="/add" enctype="multipart/form-data" class="form add-form" data-add-form>
      ${hiddenField('csrf', token)} ${shelfField(shelves, form?.get('shelf') ?? '')}
      <label class="tick"
        ><input type="checkbox" name="again" value="on" ${form?.get('again') === 'on' ? html`checked` : ''} /><span
          >Add files even if I already have them</span
        ></label
      >
      <label class="tick" data-by-folder hidden
        ><input type="checkbox" name="byFolder" /><span
          >Put the files of each folder on a shelf with its name</span
        ></label
      >
      <details class="add-password">
        <summary>A PDF is protected with a password</summary>
        <div class="field">
          <label for="password">Password for the files</label>
          <p class="hint" id="password-hint">
            Lectern uses it to open the files for this import and does not keep it afterwards.
          </p>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="off"
            maxlength="500"
            aria-describedby="password-hint"
          />
        </div>
      </details>
      <div class="field add-files${isMissing ? ' wrong' : ''}">
        <label for="files">Files</label>
        <p class="hint" id="files-hint">
          ${formatNames('or')}, up to ${maxFiles} files at once. Title and author are taken from the file.
        </p>
        ${isMissing ? html`<p class="wrong-text" id="files-problem">${problem?.message}</p>` : ''}
        <input
          id="files"
          name="files"
          type="file"
          multiple
          accept="${accepted}"
          aria-describedby="files-hint${isMissing ? ' files-problem' : ''}"
        />
      </div>
      <button>${icon('upload')}Add books</button>
    </form>
    ${addBooksQueue({ token, room })}`
}

function shelfField(shelves: readonly Shelf[], chosen: string): Html | '' {
  if (shelves.length === 0) return ''
  return html`<div class="field">
    <label for="shelf">Shelf <span>optional</span></label>
    <select id="shelf" name="shelf">
      <option value="">None</option>
      ${shelves.map(
        ({ id, name }) =>
          html`<option value="${id}" dir="auto" ${id === chosen ? html`selected` : ''}>${name}</option>`,
      )}
    </select>
  </div>`
}

/** Above this, the number of books that can still be added is not shown. */
const maxShownBooks = 10_000

function libraryRoomText({ booksLeft, uploadMb, storageLeft }: LibraryRoom): string {
  const perFile = `Each file can have up to ${count(uploadMb)} MB.`
  if (booksLeft > maxShownBooks && storageLeft === null) return perFile
  const books = `You can still add ${count(booksLeft)} ${booksLeft === 1 ? 'book' : 'books'}`
  const storage = storageLeft === null ? '' : `, ${formatSize(storageLeft)} in all`
  return `${books}${storage}. ${perFile}`
}

const count = (number: number) => number.toLocaleString('en-GB')
