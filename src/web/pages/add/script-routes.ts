import { discardRefused } from '../../../imports/discard-draft.ts'
import { z } from 'zod'
import { CheckUpload, ConfirmedUpload, StartedUpload, UploadCandidates } from '../../../imports/schema.ts'
import { findSameFile, receiveOwnUpload } from '../../../imports/receive-file.ts'
import { AppError } from '../../../core/errors.ts'
import { parseInput } from '../../../core/parse-input.ts'
import { readJsonObject } from '../../../transport/read-body.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import type { PageRoutes } from '../../routes.ts'
import { scriptAnswer } from '../../script-answers.ts'
import type { SignedInVisit } from '../../visit.ts'
import { shelve, shelveByFolder, shelveSame } from './add-file.ts'
import { inPlainWords } from './refusal-words.ts'

const maxBodyBytes = 32 * 1024

/**
 * Mounts the routes for the script `add-books`, called in this order: `check` for each file, `start`, `bytes`, then
 * `confirm`; `cancel` releases a reservation, `shelve` puts a book that exists already on the shelves chosen for its file.
 */
export function mountAddScriptRoutes(routes: PageRoutes): void {
  const mount = (step: string, run: (visit: SignedInVisit) => Promise<unknown>) =>
    routes.scriptRoute('POST', `/add/${step}`, async (visit) => scriptAnswer(await inPlainWords(() => run(visit))))
  mount('check', check)
  mount('start', async (visit) =>
    callToolForVisit(visit, { name: 'start_upload', raw: await readJson(visit) }, StartedUpload),
  )
  mount('bytes', receiveBytes)
  mount('confirm', confirm)
  mount('shelve', shelveKnown)
  mount('cancel', cancel)
}

const readJson = ({ request }: SignedInVisit) => readJsonObject(request, maxBodyBytes)

/** The book with the same file, otherwise one with a title similar to the file name. */
async function check(visit: SignedInVisit) {
  const raw = await readJson(visit)
  const { candidates } = await callToolForVisit(visit, { name: 'check_upload', raw }, UploadCandidates)
  const { sha256 } = parseInput(CheckUpload, raw)
  const same = sha256 === undefined ? null : await findSameFile(visit.ctx, sha256)
  const alike = candidates.find(({ score }) => score >= minLikeness)
  return { same: same && toLink(same), alike: alike && !same ? toLink(alike) : null }
}

/** Minimum similarity of a title and a file name for a remark. */
const minLikeness = 0.9

const toLink = ({ id, title }: { id: string; title: string }) => ({ title, path: `/books/${id}` })

/** Receives the file itself as the body, for the reservation in the query. */
async function receiveBytes(visit: SignedInVisit) {
  const { request, requestState, ctx, url } = visit
  requestState.receivesFiles = true
  const length = request.headers.get('content-length')
  if (!request.body) throw new AppError('INVALID_INPUT', 'The file is empty.')
  const itemId = url.searchParams.get('item') ?? ''
  const contentLength = length === null ? null : Number(length)
  const { bytes, sameFile } = await receiveOwnUpload(ctx, { itemId, body: request.body, contentLength })
  return { bytes, same: sameFile && toLink(sameFile) }
}

const Shelve = z.object({
  itemId: z.string().max(64),
  shelf: z.string().max(64).default(''),
  folders: z.array(z.string().max(1000)).max(100).default([]),
})

const Confirm = Shelve.extend({
  storageKey: z.string(),
  password: z.string().max(500).default(''),
})

async function confirm(visit: SignedInVisit) {
  const { itemId, storageKey, shelf, folders, password } = parseInput(Confirm, await readJson(visit))
  const raw = { itemId, storageKey, ...(password === '' ? {} : { password }) }
  const { item, job } = await callToolForVisit(visit, { name: 'confirm_upload', raw }, ConfirmedUpload)
  const shelved = await shelve(visit, shelf, item.id)
  const problem = await shelveByFolder(visit, folders, item.id)
  const remarks = [
    shelved ? '' : 'Added, but the shelf no longer exists.',
    problem && `Added, but not put on a shelf for its folder. ${problem}`,
  ]
  const remark = remarks.filter((text) => text !== '').join(' ')
  return { jobId: job.id, title: item.title, path: `/books/${item.id}`, remark }
}

async function shelveKnown(visit: SignedInVisit) {
  const { itemId, ...places } = parseInput(Shelve, await readJson(visit))
  return shelveSame(visit, places, itemId)
}

const Cancel = z.object({ itemId: z.string().max(64) })

/** Releases a reservation; keeps a book whose file has been confirmed. */
async function cancel(visit: SignedInVisit) {
  const { itemId } = parseInput(Cancel, await readJson(visit))
  await discardRefused(visit.ctx, itemId, null)
  return { ok: true }
}
