import { findCitedBook, citedSentences, paragraphs, type Citation } from './citations.ts'
import { corpus } from './corpus.ts'
import type { Run } from './run-task.ts'
import type { Check } from './score-calls.ts'
import type { Task } from './task.ts'
import type { KnownBook } from './task-server.ts'

/** Checks that the last answer makes the task's claims, each with a page that supports it. */
export function checkClaims({ claims = [] }: Task, { turns }: Run): Check[] {
  const answerParagraphs = paragraphs(turns.at(-1)?.answer ?? '')
  return claims.map(({ statements: says, sources: from }) => {
    const matchingParagraphs = answerParagraphs.filter(({ text }) => says.every((words) => words.test(text)))
    const cited = matchingParagraphs.some(({ citations }) =>
      from.some(({ book, page }) => citations.some((each) => citesPage(each, corpus[book].title, page))),
    )
    const claim = says.map(String).join(' ')
    const sources = from.map(({ book, page }) => `${corpus[book].title}, p. ${page}`).join(' or ')
    if (matchingParagraphs.length === 0) return { kind: 'claims', description: `does not say ${claim}`, ok: false }
    return { kind: 'claims', description: `${claim} from ${sources}`, ok: cited }
  })
}

function citesPage({ title, pages }: Citation, expectedTitle: string, page: number): boolean {
  return pages.includes(page) && findCitedBook(title, [{ title: expectedTitle, pages: [] }]) !== undefined
}

/** Checks that every cited page was read by the agent and supports its sentence. */
export function checkCitations({ userTurns: says }: Task, run: Run): Check[] {
  const asked = says.join('\n')
  return run.turns
    .flatMap(({ answer }) => citedSentences(answer))
    .flatMap(({ text, citations }) => {
      const sources = citations.flatMap((citation) => sourcesOf(citation, run))
      const wrong = sources.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))
      if (wrong.length > 0) return wrong.map((what): Check => ({ kind: 'citations', description: what, ok: false }))
      const missing = findUnsupported(text, [asked, ...sources.flatMap(({ texts }) => texts)].join('\n'))
      const what = missing === null ? text.trim() : `${missing}: ${text.trim()}`
      return [{ kind: 'citations' as const, description: what, ok: missing === null }]
    })
}

interface Source {
  texts: string[]
  problem?: string
}

function sourcesOf({ title, pages }: Citation, { knownBooks: known, readTexts: seen }: Run): Source[] {
  const book = findCitedBook(title, known)
  if (!book) return [{ texts: [], problem: `there is no book ${title}` }]
  return pages.map((page) => {
    const texts = book.pages[page - 1]
    if (!texts) return { texts: [], problem: `${title} has no page ${page}` }
    if (!wasRead(texts, seen)) return { texts, problem: `${title}, p. ${page} is cited and was not read` }
    return { texts: [`${book.title}, p. ${page}`, ...texts] }
  })
}

/** Whether a call returned one of the texts of a page, or at least its beginning. */
function wasRead(texts: KnownBook['pages'][number], seen: readonly string[]): boolean {
  return texts.some((text) => seen.some((each) => each.includes(text.trim().slice(0, 400))))
}

/** Returns the claims of a sentence that its sources do not support: a missing figure, or mostly missing words. */
function findUnsupported(sentence: string, sources: string): string | null {
  const figures = new Set(figuresIn(appendNumberWords(sources)))
  const inventedFigures = figuresIn(sentence).filter((figure) => !figures.has(figure))
  if (inventedFigures.length > 0) return `${inventedFigures.join(', ')} is not on the cited page`
  const words = contentWords(sentence)
  const sourceWords = contentWords(sources)
  const missing = [...words].filter((word) => !sourceWords.has(word))
  return missing.length > words.size / 2 ? `${missing.join(', ')}: not on the cited page` : null
}

const numerals = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'
const tens = 'ten twenty thirty forty fifty sixty seventy eighty ninety'
const numberWords = new Map([
  ...numerals.split(' ').map((word, at): [string, number] => [word, at + 1]),
  ...tens.split(' ').map((word, at): [string, number] => [word, (at + 1) * 10]),
  ...Object.entries({ first: 1, second: 2, third: 3, half: 0.5, twice: 2, once: 1, hour: 60 }),
])

/** Adds digits after the number words of a text. */
function appendNumberWords(text: string): string {
  const found = (text.toLowerCase().match(/[a-z]+/g) ?? []).flatMap((word) => numberWords.get(word) ?? [])
  return `${text}\n${found.join(' ')}`
}

function figuresIn(text: string): string[] {
  return (text.match(/\d(?:[\d,.]*\d)?/g) ?? []).map((figure) => String(Number(figure.replaceAll(',', ''))))
}

/** Returns the words of four letters or more, without common endings. */
function contentWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/\p{Letter}{4,}/gu) ?? []
  return new Set(words.filter((word) => !stopWords.has(word)).map((word) => word.replace(/(?:ing|ed|es|s)$/, '')))
}

const stopWords = new Set(
  'this that with from have been were will would should could they them their there which when what where while about also only into over each after before than then does says according book page'.split(
    ' ',
  ),
)
