import { AppError } from '../../../core/errors.ts'
import { openForEditing, openPageEditor } from '../../../writing/open-page-editor.ts'
import type { PageConflict } from '../../../writing/describe-conflict.ts'
import { findDraft } from '../../../writing/find-drafts.ts'
import type { Html } from '../../components/html.ts'
import { toFormProblem, type FormProblem } from '../../form.ts'
import { respondPage } from '../../respond.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { conflictView } from './conflict-view.ts'
import { lineEndsOf, placeName, type EditorFields, type Place } from './editor-form.ts'
import { newFormKey } from './editor-request.ts'
import { editorTitle, editorView, type EditorView } from './editor-view.ts'
import { refusedEditor } from './kept-text.ts'
import { counted } from '../../../text/counted.ts'

interface EditorOptions {
  /** The submitted fields; absent when the editor is opened. */
  fields?: EditorFields
  /** True to open the editor with the draft. */
  continued?: boolean
  problem?: FormProblem | undefined
  notice?: Html | undefined
  preview?: Html
}

/**
 * Responds with the editor for a position. Refuses like `openForEditing`, and a page that the book does not have with
 * NOT_FOUND.
 */
export async function respondEditor(
  visit: SignedInVisit,
  target: { id: string; place: Place },
  options: EditorOptions = {},
): Promise<Response> {
  const { place } = target
  const { problem, preview, notice } = options
  const opened = await openPlace(visit, target)
  const { text, draft, ...about } = opened
  const fields = options.fields ?? openedFields(opened, options.continued === true)
  const isSame = draft?.content === text
  const view: EditorView = {
    ...about,
    place,
    csrfToken: sessionToken(visit),
    fields,
    isKept: fields.text === text || fields.text === draft?.content,
    problem,
    preview,
    notice,
    offered: options.fields || options.continued || isSame ? null : draft,
  }
  const title = editorTitle(place)
  return respondPage(visit, {
    title: problem ? title : `${title} · ${about.book.title}`,
    problem,
    width: 'wide',
    scripts: ['editor'],
    content: editorView(view),
  })
}

type OpenedPlace = Pick<EditorView, 'book' | 'version' | 'pageCount' | 'changes'> & {
  text: string
  draft: EditorView['offered']
}

async function openPlace({ ctx }: SignedInVisit, { id, place }: { id: string; place: Place }): Promise<OpenedPlace> {
  if (place.kind === 'new') {
    const { book, manifest } = await openForEditing(ctx, id)
    const draft = await findDraft(ctx, { id, place: placeName(place) })
    return { book, version: manifest.version, pageCount: manifest.pageCount, changes: [], text: '# ', draft }
  }
  const { book, manifest, text, bytes, draft, changes } = await openPageEditor(ctx, { id, pageNum: place.pageNum })
  const { version, pageCount } = manifest
  if (text === null && !draft) {
    const message =
      bytes > 0
        ? `Page ${place.pageNum} has ${(bytes / 1e6).toFixed(1)} MB; the editor accepts pages of up to 1 MB.`
        : `Page ${place.pageNum} not found: this book has ${counted(pageCount, 'page')}.`
    throw new AppError('NOT_FOUND', message)
  }
  return { book, version, pageCount, changes, text: text ?? '', draft }
}

/** The initial fields of an editor: with the draft if it is continued, otherwise with the text of the book. */
function openedFields({ text, version, draft }: OpenedPlace, continued: boolean): EditorFields {
  const from = continued && draft ? { text: draft.content, version: draft.version } : { text, version }
  const isKnown = draft && (continued || draft.content === text)
  return {
    ...from,
    lineEnds: lineEndsOf(text),
    draft: isKnown ? draft.revision : '',
    key: newFormKey(),
    letters: 'serif',
    kept: '',
  }
}

interface ShownConflict {
  conflict: PageConflict
  pageNum: number
  fields: EditorFields
  /** The revision of the draft with the text. */
  draft: string
}

/** Responds with the texts of a conflict for resolution. */
export function respondConflict(visit: SignedInVisit, shown: ShownConflict): Promise<Response> {
  return respondPage(visit, {
    title: `Error: Page ${shown.pageNum} was changed in the meantime`,
    status: 409,
    width: 'wide',
    scripts: ['editor'],
    content: conflictView({ ...shown, csrfToken: sessionToken(visit), key: newFormKey() }),
  })
}

interface Refusal {
  id: string
  error: unknown
  /** Typed text to show. */
  text: string | null
}

/** Responds with the next step if there is no editor, and the typed text; rethrows errors that are not refusals. */
export function respondEditorRefusal(visit: SignedInVisit, { id, error, text }: Refusal): Promise<Response> {
  const problem = toFormProblem(error)
  if (!problem || !(error instanceof AppError)) throw error
  const { title, content } = refusedEditor({ id, code: error.code, problem, text })
  const { status, retryAfterSeconds } = problem
  return respondPage(visit, { title, status, retryAfterSeconds, content })
}
