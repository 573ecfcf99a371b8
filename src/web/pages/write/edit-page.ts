import { html } from 'hono/html'
import { AppError } from '../../../core/errors.ts'
import { SaveDraft } from '../../../writing/draft-schema.ts'
import { discardDraft, findDraft } from '../../../writing/find-drafts.ts'
import { saveDraft, type KeptDraft } from '../../../writing/save-draft.ts'
import { parseInput } from '../../../core/parse-input.ts'
import { readSessionForm, toFormProblem, type Form } from '../../form.ts'
import type { Html } from '../../components/html.ts'
import { redirect } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { formatDateTime } from '../../format/format-time.ts'
import type { SignedInVisit, Visit } from '../../visit.ts'
import { createPageRenderer, type PageRenderer } from '../../markdown/page-renderer.ts'
import { renderPreview } from './render-preview.ts'
import {
  maxEditorFormBytes,
  parsePlace,
  placeName,
  readEditorFields,
  requireOnePage,
  type EditorFields,
  type Place,
} from './editor-form.ts'
import {
  isFromScript,
  readScriptFields,
  respondFragment,
  respondJson,
  respondSignedOut,
  respondToScript,
} from './editor-request.ts'
import { respondConflict, respondEditor, respondEditorRefusal } from './respond-editor.ts'
import { addPage, savePage } from './save-page.ts'

/** A request of an editor: the book and the position in it. */
export interface EditorTarget {
  id: string
  place: Place
}

type Answer = (visit: SignedInVisit, target: EditorTarget, form: Form) => Promise<Response>

/** Mounts /books/{id}/edit/{n}: the editor of a page, or of a new one at the `start` or the `end`. */
export function mountEditPage(routes: PageRoutes): void {
  const path = '/books/:id/edit/:place'
  routes.signedInPage('GET', path, (visit) => answerOpen(visit))
  const mount = (route: string, answer: Answer) => {
    routes.publicPage('POST', route, (visit) => answerForm(visit, answer))
  }
  mount(path, save)
  mount(`${path}/draft`, keepDraft)
  // Previews use a separate rendering thread, so that readers do not wait for them.
  mount(`${path}/preview`, previewWith(createPageRenderer()))
  mount(`${path}/discard`, discard)
}

function targetOf({ params }: Visit): EditorTarget {
  const { id = '', place = '' } = params
  return { id, place: parsePlace(place) }
}

async function answerOpen(visit: SignedInVisit): Promise<Response> {
  const target = targetOf(visit)
  const continued = visit.url.searchParams.get('draft') === '1'
  try {
    return await respondEditor(visit, target, { continued, notice: doneNotice(visit, target) })
  } catch (error) {
    const draft = await findDraft(visit.ctx, { id: target.id, place: placeName(target.place) })
    return respondEditorRefusal(visit, { id: target.id, error, text: draft?.content ?? null })
  }
}

/** Reads a form and answers it; after any refusal, the submitted text is shown again. */
async function answerForm(visit: Visit, answer: Answer): Promise<Response> {
  const { signedIn, ctx } = visit
  const target = targetOf(visit)
  if (!signedIn || !ctx) return respondSignedOut(visit)
  const known: SignedInVisit = { ...visit, signedIn, ctx }
  if (isFromScript(visit)) {
    return respondToScript(visit, async () => answer(known, target, await readScriptFields(known)))
  }
  let form: Form | undefined
  try {
    form = await readSessionForm(known, maxEditorFormBytes)
    return await answer(known, target, form)
  } catch (error) {
    form ??= staleFormOf(error)
    if (!form || !toFormProblem(error)) throw error
    return answerRefusal(known, target, { error, fields: readEditorFields(form) })
  }
}

/** The form that was refused because of its CSRF token. */
function staleFormOf(error: unknown): Form | undefined {
  return error instanceof AppError && 'form' in error ? (error.form as Form) : undefined
}

async function answerRefusal(
  visit: SignedInVisit,
  target: EditorTarget,
  { error, fields }: { error: unknown; fields: EditorFields },
): Promise<Response> {
  // A form that may come from another site must not change anything.
  const draft = staleFormOf(error) ? fields.draft : await tryToSaveDraft(visit, target, fields)
  const problem = toFormProblem(error) ?? undefined
  try {
    return await respondEditor(visit, target, { fields: { ...fields, draft }, problem })
  } catch {
    // The book can no longer be edited: shows the refusal and the text.
    return respondEditorRefusal(visit, { id: target.id, error, text: fields.text })
  }
}

/** Saves a text as a draft after a refusal; returns the draft's revision, or the known one if it cannot be saved. */
async function tryToSaveDraft(visit: SignedInVisit, target: EditorTarget, fields: EditorFields): Promise<string> {
  try {
    return (await keep(visit, target, fields)).revision
  } catch (error) {
    const details = error instanceof AppError ? error.details : {}
    return typeof details['revision'] === 'string' ? details['revision'] : fields.draft
  }
}

async function keep(visit: SignedInVisit, { id, place }: EditorTarget, fields: EditorFields): Promise<KeptDraft> {
  await visit.ctx.attemptLimiter.consume('editor', visit.ctx.actor.id)
  const { text, version, draft } = fields
  const input = { id, place: placeName(place), content: text, version, revision: draft }
  return saveDraft(visit.ctx, parseInput(SaveDraft, input))
}

async function save(visit: SignedInVisit, target: EditorTarget, form: Form): Promise<Response> {
  const fields = readEditorFields(form)
  const { id, place } = target
  requireOnePage(place, fields.text)
  if (place.kind === 'new') {
    const { firstPage, version } = await addPage(visit, { id, position: place.position, fields })
    await dropDrafts(visit, target, fields)
    return redirect(visit, `/books/${id}/edit/${firstPage ?? 1}?done=added&version=${version}`)
  }
  const outcome = await savePage(visit, { id, pageNum: place.pageNum, fields })
  if (outcome.kind === 'conflict') {
    const draft = await tryToSaveDraft(visit, target, fields)
    return respondConflict(visit, { conflict: outcome.conflict, pageNum: place.pageNum, fields, draft })
  }
  await dropDrafts(visit, target, fields)
  return redirect(visit, `/books/${id}/edit/${outcome.pageNum}?done=${outcome.kind}&version=${outcome.version}`)
}

/** Removes the drafts that a saved text makes obsolete, except one that another window has replaced. */
async function dropDrafts({ ctx }: SignedInVisit, { id, place }: EditorTarget, fields: EditorFields): Promise<void> {
  if (fields.draft !== '') await discardDraft(ctx, { id, place: placeName(place), revision: fields.draft })
  const { kept } = fields
  if (kept !== '' && kept !== placeName(place)) await discardDraft(ctx, { id, place: placeName(parsePlace(kept)) })
}

async function keepDraft(visit: SignedInVisit, target: EditorTarget, form: Form): Promise<Response> {
  const fields = readEditorFields(form)
  const kept = await keep(visit, target, fields)
  if (isFromScript(visit)) return respondJson({ revision: kept.revision, at: kept.at.toISOString() })
  return redirect(visit, `/books/${target.id}/edit/${placeName(target.place)}?draft=1&done=kept`)
}

function previewWith(renderer: PageRenderer): Answer {
  return async (visit, target, form) => {
    await visit.ctx.attemptLimiter.consume('editor', visit.ctx.actor.id)
    const fields = readEditorFields(form)
    const rendered = await renderPreview(visit, renderer, fields.text)
    if (isFromScript(visit)) return respondFragment(String(rendered))
    return respondEditor(visit, target, { fields, preview: rendered })
  }
}

async function discard(visit: SignedInVisit, target: EditorTarget, form: Form): Promise<Response> {
  const fields = readEditorFields(form)
  const { id, place } = target
  await dropDrafts(visit, target, fields)
  if (fields.kept !== '') await discardDraft(visit.ctx, { id, place: placeName(parsePlace(fields.kept)) })
  const path =
    place.kind === 'new' && fields.kept !== '' ? `/books/${id}/edit` : `/books/${id}/edit/${placeName(place)}`
  return redirect(visit, `${path}?done=discarded`)
}

function doneNotice({ ctx, url }: SignedInVisit, { id, place }: EditorTarget): Html | undefined {
  const version = /^\d{1,9}$/.exec(url.searchParams.get('version') ?? '')?.[0]
  const saved = version === undefined ? '' : ` as version ${version}`
  const messages = new Map([
    ['saved', `Saved${saved}.`],
    ['added', `The page is added${saved}.`],
    ['merged', `Saved${saved}. Changes that others made to other pages in the meantime are kept.`],
    ['unchanged', 'The book already has this text.'],
    ['discarded', 'The draft is discarded.'],
  ])
  const done = url.searchParams.get('done') ?? ''
  if (done === 'kept') {
    return html`<p class="notice" role="status">
      Your draft is kept, ${formatDateTime(ctx.now())}. The book is unchanged.
    </p>`
  }
  const message = messages.get(done)
  if (message === undefined) return undefined
  return html`<p class="notice" role="status">
    ${message} ${place.kind === 'page' ? html`<a href="/books/${id}/pages/${place.pageNum}">Read the page</a>` : ''}
  </p>`
}
