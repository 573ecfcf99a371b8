import { createHash } from 'node:crypto'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { saveReadingPosition } from '../../src/reading/reading-positions.ts'
import { openVersion } from '../../src/reading/open-version.ts'
import { findFigureMarkers } from '../../src/text/figure-markers.ts'
import { inviteUrl } from '../../src/teams/present-team.ts'
import { contextOf } from './context.ts'
import { reportGap } from './gaps.ts'
import { illustratedEpub } from './illustrated-book.ts'
import { makeBook, markdownPages } from './make-book.ts'
import { publishBook } from './marketplace.ts'
import type { Person, TestServer } from './server.ts'
import { tokenOf } from './team-client.ts'
import { hasTransport } from './tool-cases.ts'
import { mcp, rest } from './transports.ts'
import { importFile, sendFile } from './uploads.ts'

/** Everything that an account can have and that a call can name. */
export const kindsOfThings = [
  'book',
  'fileBook',
  'deletedBook',
  'shelf',
  'shelfSlug',
  'manuscript',
  'session',
  'listing',
  'team',
  'department',
  'invite',
  'uploadedBook',
  'storageKey',
  'job',
  'gap',
  'notification',
  'keyId',
  'sha256',
  'filename',
  'title',
  'email',
  'account',
  'report',
  'figure',
] as const
export type KindOfThing = (typeof kindsOfThings)[number]

/** The name of one thing of each kind. */
export type OwnedThings = Record<KindOfThing, string>

/**
 * Gives a person one thing of each kind, with `mark` in every text that the person chooses: titles, texts, names, notes and names of
 * files.
 */
export async function giveThings(server: TestServer, owner: Person, mark: string): Promise<OwnedThings> {
  const { services, database } = server.running.opened
  const call = async (tool: string, input: Record<string, unknown>) => {
    await database.db.collection('rates').deleteMany({})
    const answer = await (hasTransport(tool, 'mcp') ? mcp : rest).call(server, owner, tool, input)
    if (!answer.ok) throw new Error(`${tool}: ${answer.text}`)
    return answer.body
  }
  const title = `${mark} book`
  const book = await makeBook(server, owner, { title, description: `${mark} about`, content: textOf(mark) })
  await call('enrich_item', {
    itemId: book,
    author: `${mark} author`,
    addPrompt: { prompt: `${mark} prompt`, context: `${mark} context` },
    sampleQuestion: `${mark} question?`,
    outcomes: [`${mark} outcome`],
    toc: [{ title: `${mark} chapter`, page: 1 }],
  })
  await call('put_item_page', { id: book, pageNum: 2, content: `# Page 2\n\n${mark} rewritten\n` })
  const bytes = await illustratedEpub({ title: `${mark} figures` })
  const filename = `${mark}.epub`
  const file = await importFile(server, owner, { filename, bytes })
  const deletedBook = await makeBook(server, owner, { title: `${mark} deleted`, content: markdownPages(3) })
  await call('delete_items', { ids: [deletedBook] })
  const shelf = (await call('create_shelf', { name: `${mark} shelf` })).id
  await call('add_to_shelf', { shelf, itemIds: [book, file.itemId] })
  const { manuscript } = await call('create_manuscript', {
    title: `${mark} manuscript`,
    description: `${mark} plan`,
    instructions: `${mark} instructions`,
    topics: [`${mark} topic`],
  })
  const { sessionId } = await call('start_access_session', { intent: `${mark} intent` })
  const upload = await sendFile(server, owner, {
    filename: `waiting-${mark}.pdf`,
    bytes: Buffer.from(`%PDF-1.4 ${mark}`),
  })
  const published = await publishBook(server, owner, { title: `${mark} published`, content: textOf(mark) })
  await call('withdraw_listing', { id: published.listingId })
  const team = (await call('create_team', { name: `${mark} team` })).team.id
  const { department } = await call('create_department', { teamId: team, name: `${mark} department` })
  await call('share_item', { teamId: team, itemId: book, departmentSlugs: [department.slug] })
  const { invite } = await call('invite_team_member', { teamId: team, email: `${mark}@lectern.example` })
  await reportGap(server, owner, book, { intent: `${mark} gap?`, subcategory: `${mark} topic`, aboutSection: mark })
  const [gap] = await database.db.collection<{ _id: string }>('gaps').find({}).sort({ _id: -1 }).toArray()
  saveReadingPosition(await contextOf(server, owner), await openVersion(await contextOf(server, owner), book), 2)
  const keyId = (await createApiKey(services, owner.id, { name: `${mark} key` })).id
  const [notice] = await database.db.collection<{ _id: string }>('notifications').find({}).toArray()
  const report = await call('send_report', { title: `${mark} report`, body: `${mark} complaint` })
  const figures = await database.db.collection<{ _id: string; content: string }>('pages').find({}).toArray()
  await services.accounts.change(owner.id, { name: `${mark} name` })
  await call('report_agents', { machineId: `${mark}-machine`, hostname: `${mark} host`, agents: [] })
  // A search indexes the books, so that no row changes later for that reason.
  await call('search_items', { query: 'rewritten' })
  return {
    book,
    fileBook: file.itemId,
    deletedBook,
    shelf,
    shelfSlug: `${mark}-shelf`,
    manuscript: manuscript.id,
    session: sessionId,
    listing: published.listingId,
    team,
    department: department.slug,
    invite: tokenOf(inviteUrl(services, invite.id, 'shown')),
    uploadedBook: upload.itemId,
    storageKey: upload.storageKey,
    job: file.jobId,
    gap: gap?._id ?? '',
    notification: notice?._id ?? '',
    keyId,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    filename,
    title,
    email: owner.email,
    account: owner.id,
    report: report.id,
    figure: figures.flatMap(({ content }) => findFigureMarkers(content))[0]?.id ?? '',
  }
}

const textOf = (mark: string) => markdownPages(3).replaceAll('text', `${mark} text`)

/** Names of the same form that nothing has. */
export function unknownThings({ storageKey }: Pick<OwnedThings, 'storageKey'>): OwnedThings {
  const id = '0mzzzzzzzzzzzzzzzzzzzzzzzz'
  const named = Object.fromEntries(kindsOfThings.map((kind) => [kind, id])) as OwnedThings
  return {
    ...named,
    shelfSlug: 'zqzqzq-shelf',
    department: 'zqzqzq-department',
    storageKey: storageKey.replaceAll(/0m[a-z0-9]{24}/g, id),
    figure: '0123456789abcdef',
    sha256: 'f'.repeat(64),
    filename: 'zqzqzq.epub',
    title: 'zqzqzq book',
    email: 'zqzqzq@lectern.example',
  }
}

/** Rows that the server changes by itself: counters, leases, and the search index, which it computes from books. */
const ownWork = /^(rates|idempotency|keyPlaces|installation|audit|search_\w+)$/

/** Every row of the store that names the owner or something that the owner has, as text by collection and id. */
export async function rowsOf(
  { running }: Pick<TestServer, 'running'>,
  things: OwnedThings,
): Promise<Map<string, string>> {
  const { db } = running.opened.database
  const names = Object.values(things).filter((name) => /^0m[a-z0-9]{24}$/.test(name))
  const rows = new Map<string, string>()
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (ownWork.test(name)) continue
    for (const row of await db.collection(name).find().toArray()) {
      const text = JSON.stringify(row)
      if (names.some((each) => text.includes(each))) rows.set(`${name} ${JSON.stringify(row._id)}`, text)
    }
  }
  return rows
}

/** The rows that are not the same in both, as they were and as they are. */
export function changedRows(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((row) => before.get(row) !== after.get(row))
    .map((row) => `${row}: ${before.get(row)} became ${after.get(row)}`)
}
