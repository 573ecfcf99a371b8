import { highWater, stationName, stations } from '../almanac.ts'
import {
  coversPages,
  destructiveCalls,
  placeholderOf,
  discoversBooks,
  searchesFor,
  opensPages,
  rewritingCalls,
} from '../call-patterns.ts'
import type { Task } from '../task.ts'

const books = ['keeper', 'tarn', 'canal', 'bees'] as const

const january = Array.from({ length: stations }, (_, at) => at + 1)
const highest = january.reduce((best, number) => (highWater(number, 0) > highWater(best, 0) ? number : best))

/** Tasks that find the page that answers a question, and answer from it. */
export const finding: Task[] = [
  {
    id: 'one-fact',
    userTurns: [
      'How many hours does the lamp at Skerry Vane burn before it has to be replaced, and what is the reason?',
    ],
    initialState: { books },
    expectedSteps: [
      { name: 'look', anyOf: [...searchesFor(/lamp/i), ...discoversBooks] },
      { name: 'read', anyOf: opensPages('keeper', 5), after: ['look'] },
    ],
    forbiddenCalls: [...destructiveCalls, ...rewritingCalls],
    claims: [
      {
        statements: [/6[,.]?000 hours/, /arc/i],
        sources: [{ book: 'keeper', page: 5, quote: 'A lamp is replaced after 6,000 hours' }],
      },
    ],
    limits: { calls: 6, tokens: 8000, reads: 3 },
  },
  {
    id: 'changed-defaults',
    userTurns: [
      'We run version 2 of Tarn. Which defaults for keeping and for acknowledging messages are different today?',
    ],
    initialState: { books },
    expectedSteps: [{ name: 'read', anyOf: opensPages('tarn', 22) }],
    claims: [
      {
        statements: [/24 (?:hours|h)/, /72 (?:hours|h)/],
        sources: [
          { book: 'tarn', page: 22, quote: 'The default retention was 24 hours in version 2 and is 72 hours now' },
        ],
      },
      {
        statements: [/60/, /30/],
        sources: [{ book: 'tarn', page: 22, quote: 'The acknowledgement timeout was 60 seconds and is 30' }],
      },
    ],
    limits: { calls: 7, tokens: 12_000, reads: 4 },
  },
  {
    id: 'wrong-premise',
    userTurns: ['Why does Tarn 3.2 throw messages away after 24 hours when nothing else is set?'],
    initialState: { books },
    expectedSteps: [
      { name: 'read', anyOf: [...opensPages('tarn', 9), ...opensPages('tarn', 22), ...opensPages('tarn', 20)] },
    ],
    claims: [
      {
        statements: [/72 hours/],
        sources: [
          { book: 'tarn', page: 9, quote: 'A stream keeps its messages for 72 hours by default' },
          { book: 'tarn', page: 22, quote: 'is 72 hours now' },
        ],
      },
    ],
    answerPatterns: [{ matches: /\bnot\b|n't|in fact|actually|no longer/i }],
    limits: { calls: 7, tokens: 12_000, reads: 4 },
  },
  {
    id: 'two-books',
    userTurns: [
      'I handle mercury on the rock and formic acid in the apiary. From what reading of the mercury gauge is there a leak, and up to which temperature may I use the acid?',
    ],
    initialState: { books },
    expectedSteps: [
      { name: 'mercury', anyOf: opensPages('keeper', 8) },
      { name: 'acid', anyOf: opensPages('bees', 13) },
    ],
    claims: [
      { statements: [/3 millimetres/], sources: [{ book: 'keeper', page: 8, quote: 'a fall of 3 millimetres' }] },
      { statements: [/28/], sources: [{ book: 'bees', page: 13, quote: 'below 28 degrees' }] },
    ],
    limits: { calls: 8, tokens: 14_000, reads: 5 },
  },
  {
    id: 'outline-first',
    userTurns: [
      'Which chapters of the canal history deal with money troubles and the end? Name them with their pages, and say what the last dividend was.',
    ],
    initialState: { books },
    expectedSteps: [
      {
        name: 'outline',
        anyOf: [{ tool: 'get_table_of_contents', arguments: { ids: [placeholderOf('book', 'canal')] } }],
      },
      { name: 'read', anyOf: opensPages('canal', 17), after: ['outline'] },
    ],
    claims: [
      {
        statements: [/four shillings/, /1889/],
        sources: [{ book: 'canal', page: 17, quote: 'The last dividend, of four shillings, had been paid in 1889' }],
      },
    ],
    answerPatterns: [{ matches: /Decline/ }, { matches: /Closure/ }],
    limits: { calls: 6, tokens: 8000, reads: 4 },
  },
  {
    id: 'longer-than-an-answer',
    userTurns: [
      'Go through all sixty harbours of the Sund almanac: which one has the highest mean high water in January, and how high is it?',
    ],
    initialState: { books: ['bees', 'almanac'] },
    expectedSteps: [
      {
        name: 'begin',
        anyOf: opensPages('almanac', 1),
      },
      {
        name: 'go on',
        anyOf: [
          {
            tool: 'read_items',
            arguments: {
              items: [
                {
                  id: placeholderOf('book', 'almanac'),
                  pages: (pages) => coversPages(stations)(pages) && !coversPages(1)(pages),
                },
              ],
            },
          },
        ],
        after: ['begin'],
      },
    ],
    claims: [
      {
        statements: [
          new RegExp(stationName(highest)),
          new RegExp(highWater(highest, 0).toFixed(2).replace('.', '\\.')),
        ],
        sources: [{ book: 'almanac', page: highest, quote: `| January | ${highWater(highest, 0).toFixed(2)} |` }],
      },
    ],
    limits: { calls: 10, tokens: 90_000, reads: 9 },
  },
  {
    id: 'imported-file',
    userTurns: ['I put in a PDF about whales. What is its second page about?'],
    initialState: { books: ['bees'], pdf: true },
    expectedSteps: [{ name: 'read', anyOf: opensPages('whales', 2) }],
    answerPatterns: [{ matches: /ships/i }, { matches: /\(Whales and Ships, p\. 2\)/ }],
    limits: { calls: 5, tokens: 5000, reads: 2 },
  },
  {
    id: 'look-at-a-page',
    userTurns: ['How is the second page of my PDF about whales laid out? Look at it, not only at its text.'],
    initialState: { books: ['bees'], pdf: true },
    expectedSteps: [
      {
        name: 'see',
        anyOf: [{ tool: 'get_figure', arguments: { itemId: placeholderOf('book', 'whales'), page: 2 } }],
      },
    ],
    answerPatterns: [{ matches: /Whales and Ships/ }],
    limits: { calls: 5, tokens: 5000, reads: 2 },
  },
  {
    id: 'arithmetic-on-a-page',
    userTurns: [
      'The hour meter of engine number one at the lighthouse shows 2,000. Which figure of the old log does that correspond to?',
    ],
    initialState: { books },
    expectedSteps: [{ name: 'read', anyOf: opensPages('keeper', 11) }],
    claims: [{ statements: [/18[,.]?204/], sources: [{ book: 'keeper', page: 11, quote: 'add 18,204 hours' }] }],
    answerPatterns: [{ matches: /20[,.]?204/ }],
    limits: { calls: 6, tokens: 8000, reads: 3 },
  },
  {
    id: 'two-lookups',
    userTurns: ['At what free disk space does Tarn stop taking messages, and at what does it begin again?'],
    initialState: { books },
    expectedSteps: [
      { name: 'look', anyOf: [...searchesFor(/disk/i), ...discoversBooks] },
      { name: 'read', anyOf: opensPages('tarn', 17), after: ['look'] },
    ],
    claims: [
      {
        statements: [/2 percent|2 ?%/, /4 percent|4 ?%/],
        sources: [{ book: 'tarn', page: 17, quote: 'It takes messages again when 4 percent are free' }],
      },
    ],
    limits: { calls: 6, tokens: 8000, reads: 3 },
  },
]
