import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { indexes } from '../../src/db/indexes.ts'
import { root } from '../docs/read-documents.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const derived = 'follows from other collections'
const credentials = 'opens something, or says who opened it'
const ofOthers = 'says what other people are or did'
const work = 'work that is under way'

/** How an export treats each collection: the files that it goes into, or why it is excluded (decision 77). */
const decided: Record<string, { in: string } | { out: string }> = {
  accounts: { in: 'account.json' },
  agenda: { out: work },
  agenda_logs: { out: work },
  audit: { out: 'only administrators see it' },
  bookTallies: { out: derived },
  books: { in: 'books/*/book.json' },
  contents: { in: 'books/*/text.md, versions' },
  deletedBooks: { out: 'its owner has deleted them' },
  departments: { out: ofOthers },
  drafts: { in: 'drafts.json' },
  embeddings: { out: derived },
  embeddingOwners: { out: derived },
  embeddingParts: { out: derived },
  gaps: { in: 'requests.json' },
  idempotency: { out: work },
  importTurns: { out: work },
  installation: { out: 'is of the server' },
  invites: { out: ofOthers },
  jobs: { out: work },
  keyPlaces: { out: credentials },
  keys: { out: credentials },
  lastReads: { out: 'what has changed since a read; where reading stopped is in' },
  listings: { in: 'listings.json' },
  machines: { in: 'account.json' },
  manuscripts: { in: 'manuscripts.json' },
  manuscriptslots: { out: derived },
  marketplace: { out: derived },
  members: { in: 'account.json' },
  notifications: { out: ofOthers },
  oauth: { out: credentials },
  outlines: { in: 'books/*/book.json' },
  pageReads: { out: ofOthers },
  pages: { in: 'books/*/text.md, versions' },
  placementTallies: { out: derived },
  placements: { in: 'shelves.json' },
  rates: { out: work },
  readBooks: { in: 'research/report.json' },
  readDays: { in: 'research/report.json' },
  readingPositions: { in: 'research/reading-positions.json' },
  reads: { in: 'account.json' },
  recognitions: { out: work },
  reports: { in: 'reports.json' },
  search_books: { out: derived },
  search_libraries: { out: derived },
  search_pages: { out: derived },
  search_segments: { out: derived },
  search_words: { out: derived },
  search_work: { out: derived },
  sessionPlaces: { out: derived },
  sessions: { in: 'research/sessions.json' },
  settings: { in: 'account.json' },
  shares: { out: ofOthers },
  shelves: { in: 'shelves.json' },
  subscriptions: { in: 'subscriptions.json' },
  suggestions: { in: 'suggestions.json' },
  teams: { in: 'account.json' },
  tickets: { out: credentials },
  uploads: { out: work },
  watchedFiles: { out: 'a folder of the server' },
  watches: { out: 'a folder of the server' },
  webSessions: { out: credentials },
  writes: { out: work },
}

/** Returns the collections that the sources name. */
function namedInSources(): string[] {
  const sources = globSync('src/**/*.ts', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))
  return sources.flatMap((text) =>
    [...text.matchAll(/\.collection(?:<[^(]*>)?\('(\w+)'/g)].map(([, name = '']) => name),
  )
}

test('every collection is exported, or has a reason not to be', async () => {
  const { db } = server.running.opened.database
  const stored = (await db.listCollections().toArray()).map(({ name }) => name)
  const known = [...stored, ...indexes.map(({ collection }) => collection), ...namedInSources()]
  expect(known.length).toBeGreaterThan(100)
  expect([...new Set(known)].filter((name) => !(name in decided)).sort()).toEqual([])
  // No decision remains for a collection that no longer exists.
  expect(Object.keys(decided).filter((name) => !known.includes(name))).toEqual([])
})
