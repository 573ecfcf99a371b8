import type { z } from 'zod'
import { ConfirmedUpload, StartedUpload } from '../../../imports/schema.ts'
import { discardRefused } from '../../../imports/discard-draft.ts'
import { receiveFile, type ArrivedFile, type SameFile } from '../../../imports/receive-file.ts'
import { shelfNameOfFolder } from '../../../folders/shelf-name.ts'
import { createShelfPlaces } from '../../../folders/shelf-places.ts'
import { AddedToShelf } from '../../../shelves/schema.ts'
import { ClientDisconnected } from '../../../core/cancellation.ts'
import type { MultipartFile } from '../../../transport/read-multipart.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import type { SignedInVisit } from '../../visit.ts'
import { refusalWords, type RefusalWords } from './refusal-words.ts'

/** The outcome for a file. */
export type FileOutcome = { filename: string } & (
  | { kind: 'added'; itemId: string; title: string; shelved: boolean }
  | { kind: 'same'; book: SameFile; remark: string }
  | ({ kind: 'refused' } & RefusalWords)
)

export interface AddOptions {
  /** Id of the shelf for the books; empty: none. */
  shelf: string
  /** True to add a file even if there is a book with the same file. */
  again: boolean
  /** Password of encrypted PDFs; empty: none. */
  password: string
}

/** Adds a file of a form as a book and returns the outcome. Throws for a lost connection and internal errors. */
export async function addFile(
  visit: SignedInVisit,
  { filename, body }: MultipartFile,
  { shelf, again, password }: AddOptions,
): Promise<FileOutcome> {
  let arrived: ArrivedFile | null = null
  try {
    arrived = await receiveFile(visit.ctx, { filename, body })
    const { sameFile: book } = arrived
    if (book && !again)
      return { kind: 'same', filename, book, ...(await shelveSame(visit, { shelf, folders: [] }, book.id)) }
    const { item } = await addArrived(visit, { filename, password }, arrived)
    return { kind: 'added', filename, itemId: item.id, title: item.title, shelved: await shelve(visit, shelf, item.id) }
  } catch (error) {
    const words = error instanceof ClientDisconnected ? null : refusalWords(error)
    if (!words) throw error
    return { kind: 'refused', filename, ...words }
  } finally {
    await arrived?.discard()
  }
}

async function addArrived(
  visit: SignedInVisit,
  { filename, password }: { filename: string; password: string },
  arrived: ArrivedFile,
): Promise<ConfirmedUpload> {
  const { contentType, bytes: size } = arrived
  const raw = { filename, size, contentType }
  const { itemId, storageKey } = await callToolForVisit(visit, { name: 'start_upload', raw }, StartedUpload)
  try {
    await arrived.store(storageKey)
    return await callToolForVisit(
      visit,
      { name: 'confirm_upload', raw: { itemId, storageKey, ...(password === '' ? {} : { password }) } },
      ConfirmedUpload,
    )
  } catch (error) {
    await discardRefused(visit.ctx, itemId, error)
    throw error
  }
}

/** Puts a new book on a shelf; false if the shelf no longer exists. */
export async function shelve(visit: SignedInVisit, shelf: string, itemId: string): Promise<boolean> {
  if (shelf === '') return true
  try {
    await callToolForVisit(
      visit,
      { name: 'add_to_shelf', raw: { shelf, itemIds: [itemId] } },
      AddedToShelf as z.ZodType,
    )
    return true
  } catch (error) {
    if (refusalWords(error)) return false
    throw error
  }
}

/**
 * Puts a new book on the shelf of its folder, and creates the shelf if it is missing. Returns why it could not, in plain
 * words; empty: it could, or there is no folder.
 */
export async function shelveByFolder(
  { ctx }: SignedInVisit,
  folders: readonly string[],
  itemId: string,
): Promise<string> {
  const name = shelfNameOfFolder(folders)
  if (name === null) return folders.length > 0 ? 'The name of a shelf needs at least one letter or digit.' : ''
  const places = createShelfPlaces(ctx)
  try {
    await places.place(itemId, [name])
    await places.flush()
  } catch (error) {
    const words = refusalWords(error)
    if (!words) throw error
    return words.reason
  }
  return places.notMade.rows()[0]?.reason ?? ''
}

/**
 * Puts a book that the library has already on the chosen shelf and on that of its folder. Says in plain words on which shelves it is now,
 * and why not on others; says nothing if neither was chosen.
 */
export async function shelveSame(
  visit: SignedInVisit,
  { shelf, folders }: { shelf: string; folders: readonly string[] },
  itemId: string,
): Promise<{ remark: string; isShelved: boolean }> {
  const isOnChosen = await shelve(visit, shelf, itemId)
  const problem = await shelveByFolder(visit, folders, itemId)
  const chosen = isOnChosen && shelf !== '' ? await visit.ctx.shelves.list(visit.ctx.actor.id) : []
  const names = [chosen.find(({ id }) => id === shelf)?.name, problem === '' ? shelfNameOfFolder(folders) : null]
  const quoted = names.filter((name) => typeof name === 'string').map((name) => `“${name}”`)
  const sentences = [
    quoted.length === 0 ? '' : `It is on the ${quoted.length === 1 ? 'shelf' : 'shelves'} ${quoted.join(' and ')} now.`,
    isOnChosen ? '' : 'The shelf that you chose no longer exists.',
    problem && `It is not on a shelf for its folder. ${problem}`,
  ]
  return { remark: sentences.filter((text) => text !== '').join(' '), isShelved: quoted.length > 0 }
}
