// The number of questions in everyday spellings (test/search/robustness-list.ts) whose page is among the first three
// results, compared with SQLite's FTS5 with words and with trigrams. Usage: node bench/search-robustness.ts
import { mkdtemp, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../src/accounts/create-account.ts'
import { createAccountContext } from '../src/admin/commands/account-context.ts'
import { readConfig } from '../src/app/config.ts'
import { createLog } from '../src/app/log.ts'
import { openServices } from '../src/app/services.ts'
import { searchPages } from '../src/search/search-pages.ts'
import { createMarkdownItem } from '../src/writing/create-markdown-item.ts'
import { robustnessCases, robustnessPages, type RobustnessCase } from '../test/search/robustness-list.ts'
import { printLine, printTable } from './statistics.ts'

const first = 3
const pages = Object.entries(robustnessPages).flatMap(([language, texts]) =>
  Object.entries(texts).map(([name, text]) => ({ name: `${language}.${name}`, text })),
)

type Engine = (query: string) => Promise<string[]>

/** FTS5 with a tokenizer; a question is the OR of its words. */
function createFtsEngine(tokenizer: string): Engine {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE VIRTUAL TABLE pages USING fts5(content, tokenize='${tokenizer}')`)
  const insert = db.prepare('INSERT INTO pages (rowid, content) VALUES (?, ?)')
  for (const [at, { text }] of pages.entries()) insert.run(at + 1, text)
  const select = db.prepare(`SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT ${first}`)
  return async (query) => {
    const words = (query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map((word) => `"${word}"`)
    const rows = words.length === 0 ? [] : (select.all(words.join(' OR ')) as { rowid: number }[])
    return rows.map(({ rowid }) => pages[rowid - 1]?.name ?? '')
  }
}

async function countFound(engine: Engine, cases: readonly RobustnessCase[]) {
  const missed: string[] = []
  for (const { query, page } of cases) if (!(await engine(query)).slice(0, first).includes(page)) missed.push(query)
  return { found: cases.length - missed.length, missed }
}

const directory = await mkdtemp(join(tmpdir(), 'lectern-robustness-'))
const open = await openServices(readConfig({ LECTERN_DATA_DIR: directory }))
try {
  const account = await createAccount(open.services, { email: 'robustness@lectern.example' })
  const ctx = createAccountContext({ services: open.services, log: createLog('silent') }, account)
  const names = new Map<string, string>()
  for (const [language, texts] of Object.entries(robustnessPages)) {
    const content = Object.values(texts).map((text) => `# ·\n\n${text}\n`)
    const { id } = await createMarkdownItem(ctx, { title: language.toUpperCase(), content: content.join('\n') })
    for (const [at, name] of Object.keys(texts).entries()) names.set(`${id}:${at + 1}`, `${language}.${name}`)
  }
  const lectern: Engine = async (query) => {
    const { results } = await searchPages(ctx, { query })
    return results.map(({ id }) => names.get(id) ?? '')
  }
  const engines: [string, Engine][] = [
    ['Lectern', lectern],
    ['FTS5, words', createFtsEngine('porter unicode61')],
    ['FTS5, trigrams', createFtsEngine('trigram')],
  ]
  const rows = [['found in the first 3', ...engines.map(([name]) => name), 'of']]
  const missed: string[] = []
  for (const [kind, cases] of Map.groupBy(robustnessCases, (each) => each.kind)) {
    const counts = []
    for (const [name, engine] of engines) {
      const each = await countFound(engine, cases)
      counts.push(`${each.found}`)
      if (name === 'Lectern') missed.push(...each.missed)
    }
    rows.push([kind, ...counts, `${cases.length}`])
  }
  const totals = engines.map((_, at) => `${rows.slice(1).reduce((sum, row) => sum + Number(row[at + 1]), 0)}`)
  rows.push(['all', ...totals, `${robustnessCases.length}`])
  printTable(rows)
  printLine(`not found: ${missed.join(', ')}`)
} finally {
  await open.close()
  await rm(directory, { recursive: true, force: true })
}
