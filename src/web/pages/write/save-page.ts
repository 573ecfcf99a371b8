import { AppError } from '../../../core/errors.ts'
import { describeConflict, type PageConflict } from '../../../writing/describe-conflict.ts'
import { AppendedPages, PutPage } from '../../../writing/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import type { SignedInVisit } from '../../visit.ts'
import type { EditorFields } from './editor-form.ts'

/** The outcome of saving a page. */
export type SaveOutcome =
  | { kind: 'saved' | 'unchanged' | 'merged'; pageNum: number; version: number }
  | { kind: 'conflict'; conflict: PageConflict }

interface PageToSave {
  id: string
  pageNum: number
  fields: EditorFields
}

/** Number of concurrent writes that a save tolerates before it gives up. */
const maxAttempts = 4

/**
 * Saves a page. If only other pages have changed since the editor was opened, saves it on top of that version
 * (`merged`). If the page already has this text, for example because a form was submitted twice, changes nothing.
 */
export async function savePage(visit: SignedInVisit, { id, pageNum, fields }: PageToSave): Promise<SaveOutcome> {
  let target = { pageNum, version: fields.version }
  const { text } = fields
  for (let attempt = 1; ; attempt++) {
    try {
      const saved = await putPage(visit, { id, ...target, text })
      const kind = saved.version === target.version ? 'unchanged' : attempt === 1 ? 'saved' : 'merged'
      return { kind, pageNum: target.pageNum, version: saved.version }
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'VERSION_CONFLICT')) throw error
      const conflict = await describeConflict(visit.ctx, { id, pageNum, version: fields.version })
      const { theirs, version } = conflict
      if (conflict.pageNum !== null && theirs !== null && isSameText(theirs, text)) {
        return { kind: 'unchanged', pageNum: conflict.pageNum, version }
      }
      if (!conflict.untouched || conflict.pageNum === null || attempt === maxAttempts) {
        return { kind: 'conflict', conflict }
      }
      target = { pageNum: conflict.pageNum, version }
    }
  }
}

/** Compares texts, ignoring the line end that a page gets if another one follows. */
function isSameText(stored: string, text: string): boolean {
  return stored === text || stored.replace(/\r?\n$/, '') === text
}

interface PagePut {
  id: string
  pageNum: number
  version: number
  text: string
}

function putPage(visit: SignedInVisit, { id, pageNum, version, text }: PagePut): Promise<PutPage> {
  const raw = { id, pageNum, content: text, expectedVersion: version }
  return callToolForVisit(visit, { name: 'put_item_page', raw }, PutPage)
}

/** Adds a page at the start or the end of a book; submitting the same form again adds nothing. */
export function addPage(
  visit: SignedInVisit,
  { id, position, fields }: { id: string; position: 'start' | 'end'; fields: EditorFields },
): Promise<AppendedPages> {
  const raw = { id, content: fields.text, position }
  const idempotencyKey = fields.key === '' ? null : `editor-${fields.key}`
  return callToolForVisit(visit, { name: 'append_item_pages', raw, idempotencyKey }, AppendedPages)
}
