import { newId } from '../../core/ids.ts'
import { listWords } from './book-words.ts'
import { detectLanguage } from '../../text/words/detect-language.ts'
import type { Language } from '../../text/words/languages.ts'
import { runSteps, type Pacer } from '../../runtime/turns.ts'
import type { IndexUnit } from './book-index-store.ts'
import { addPage, createPageIndex, finishIndex, type FinishedIndex } from '../words/page-index.ts'
import { toRuns, type PageToIndex } from './plan-units.ts'
import { buildTable, type ShardedTable } from '../words/shards.ts'
import { packIntegers } from '../words/varint.ts'
import type { ListedWord } from '../words/word-list.ts'

/** The number of pages per read. */
const batchSize = 32
/** The number of pages whose language is detected together. */
const groupSize = 8
const targetUnitCharacters = 1_500_000

export interface BuiltUnit {
  unit: IndexUnit
  table: ShardedTable
  /** The index from which `table` was built. */
  finished: FinishedIndex
  /** Its words as they appear in the text, see `word-list.ts`. */
  words: ListedWord[]
}

/** Returns a new id for a part of an index, unique within a book or a library: 12 characters. */
export function newPartId(): string {
  return newId().slice(-12)
}

/**
 * The number of characters of a group of pages used to detect its language; a smaller number to check whether a known language still
 * applies.
 */
const sampleLength = 4000
const checkedLength = 1000

interface BuildOptions {
  /** Returns the texts of some pages. */
  readTexts: (pages: readonly PageToIndex[]) => Promise<string[]>
  pacer: Pacer
  /** The language of the book; null if it is unknown. */
  language: Language | null
}

/**
 * Indexes stored pages in units of about 1.5 million UTF-16 units, and gives way to other work. Detects the language of every few pages,
 * because a book may have several.
 */
export async function* buildUnits(
  pages: readonly PageToIndex[],
  { readTexts, pacer, language: known }: BuildOptions,
): AsyncGenerator<BuiltUnit> {
  let language = known
  let languages = new Map<Language, number>()
  let index = createPageIndex()
  let from = 0
  let characters = 0
  for (let at = 0; at < pages.length; at += batchSize) {
    const batch = pages.slice(at, at + batchSize)
    const texts = await readTexts(batch)
    for (let first = 0; first < texts.length; first += groupSize) {
      const group = texts.slice(first, first + groupSize)
      const length = ((known ?? language) === null ? sampleLength : checkedLength) / group.length
      const sample = group.map((text) => text.slice(0, length)).join('\n')
      language = detectLanguage(sample, known ?? language)
      languages.set(language, (languages.get(language) ?? 0) + group.length)
      for (const markdown of group) {
        await runSteps(pacer, addPage(index, { markdown, language }))
        characters += markdown.length
      }
    }
    const to = at + batch.length
    if (characters < targetUnitCharacters && to < pages.length) continue
    yield await runSteps(pacer, finishUnit(index, pages.slice(from, to), languages))
    index = createPageIndex()
    languages = new Map()
    from = to
    characters = 0
  }
}

function* finishUnit(
  index: ReturnType<typeof createPageIndex>,
  pages: readonly PageToIndex[],
  languages: ReadonlyMap<Language, number>,
): Generator<void, BuiltUnit> {
  const finished = yield* finishIndex(index)
  const table = yield* buildTable(finished)
  const runs = toRuns(pages.map(({ key }) => key))
  const sortedLanguages = [...languages].sort((a, b) => b[1] - a[1]).map(([language]) => language)
  const lengths = packIntegers(index.lengths)
  const unit = { id: newPartId(), bits: table.bits, pages: runs, lengths, languages: sortedLanguages }
  return { unit, table, finished, words: listWords(index.words) }
}
