import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Pages and questions, in one language. */
export interface PagesAndQuestions {
  lang: string
  docs: readonly { id: string; text: string }[]
  queries: readonly { id: string; text: string }[]
}

/** The ids of the best ten pages per question, best first. */
export type RankedPages = ReadonlyMap<string, readonly string[]>

const options = { encoding: 'utf8', maxBuffer: 1024 ** 3, timeout: 300_000 } as const

/** The ranking by tantivy; null without a Python that has it (`LECTERN_BENCH_PYTHON`), or if it fails. */
export function rankWithTantivy({ lang, docs, queries }: PagesAndQuestions): RankedPages | null {
  const python = process.env['LECTERN_BENCH_PYTHON']
  if (python === undefined) return null
  const input = JSON.stringify({
    lang,
    docs: docs.map(({ id, text }) => ({ id, text })),
    queries: queries.map(({ id, text }) => ({ id, text })),
  })
  const { status, stdout } = spawnSync(python, [join(import.meta.dirname, 'tantivy-pages.py')], { ...options, input })
  if (status !== 0) return null
  const { ranked } = JSON.parse(stdout) as { ranked: Record<string, string[]> }
  return new Map(Object.entries(ranked))
}

/** The ranking by Lucene; null without Java and its jars in a folder (`LECTERN_BENCH_LUCENE`), or if it fails. */
export function rankWithLucene({ lang, docs, queries }: PagesAndQuestions): RankedPages | null {
  const jars = process.env['LECTERN_BENCH_LUCENE']
  if (jars === undefined) return null
  const lineOf = (kind: string, { id, text }: { id: string; text: string }) =>
    [kind, id, text.replaceAll(/[\t\n\r]/g, ' ')].join('\t')
  const input = [...docs.map((page) => lineOf('page', page)), ...queries.map((query) => lineOf('query', query))].join(
    '\n',
  )
  const program = join(import.meta.dirname, 'LucenePages.java')
  const { status, stdout } = spawnSync('java', ['-cp', join(jars, '*'), program, lang], { ...options, input })
  if (status !== 0) return null
  const lines = stdout.trimEnd().split('\n')
  return new Map(
    lines.map((line) => {
      const [id = '', ...pages] = line.split('\t')
      return [id, pages]
    }),
  )
}
