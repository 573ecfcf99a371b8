import { highWater, stationName, stations } from '../almanac.ts'
import { covers, destroys, idOf, looksAround, looksFor, opens, rewrites } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const books = ['keeper', 'tarn', 'canal', 'bees'] as const

const january = Array.from({ length: stations }, (_, at) => at + 1)
const highest = january.reduce((best, number) => (highWater(number, 0) > highWater(best, 0) ? number : best))

/** Finding the page that answers a question, and answering from it. */
export const finding: Task[] = [
  {
    id: 'one-fact',
    says: ['How many hours does the lamp at Skerry Vane burn before it has to be replaced, and what is the reason?'],
    start: { books },
    expects: [
      { step: 'look', any: [...looksFor(/lamp/i), ...looksAround] },
      { step: 'read', any: opens('keeper', 5), after: ['look'] },
    ],
    forbids: [...destroys, ...rewrites],
    claims: [
      {
        says: [/6[,.]?000 hours/, /arc/i],
        from: [{ book: 'keeper', page: 5, quote: 'A lamp is replaced after 6,000 hours' }],
      },
    ],
    limits: { calls: 6, tokens: 8000, reads: 3 },
  },
  {
    id: 'changed-defaults',
    says: ['We run version 2 of Tarn. Which defaults for keeping and for acknowledging messages are different today?'],
    start: { books },
    expects: [{ step: 'read', any: opens('tarn', 22) }],
    claims: [
      {
        says: [/24 (?:hours|h)/, /72 (?:hours|h)/],
        from: [
          { book: 'tarn', page: 22, quote: 'The default retention was 24 hours in version 2 and is 72 hours now' },
        ],
      },
      {
        says: [/60/, /30/],
        from: [{ book: 'tarn', page: 22, quote: 'The acknowledgement timeout was 60 seconds and is 30' }],
      },
    ],
    limits: { calls: 7, tokens: 12_000, reads: 4 },
  },
  {
    id: 'wrong-premise',
    says: ['Why does Tarn 3.2 throw messages away after 24 hours when nothing else is set?'],
    start: { books },
    expects: [{ step: 'read', any: [...opens('tarn', 9), ...opens('tarn', 22), ...opens('tarn', 20)] }],
    claims: [
      {
        says: [/72 hours/],
        from: [
          { book: 'tarn', page: 9, quote: 'A stream keeps its messages for 72 hours by default' },
          { book: 'tarn', page: 22, quote: 'is 72 hours now' },
        ],
      },
    ],
    answers: [{ matches: /\bnot\b|n't|in fact|actually|no longer/i }],
    limits: { calls: 7, tokens: 12_000, reads: 4 },
  },
  {
    id: 'two-books',
    says: [
      'I handle mercury on the rock and formic acid in the apiary. From what reading of the mercury gauge is there a leak, and up to which temperature may I use the acid?',
    ],
    start: { books },
    expects: [
      { step: 'mercury', any: opens('keeper', 8) },
      { step: 'acid', any: opens('bees', 13) },
    ],
    claims: [
      { says: [/3 millimetres/], from: [{ book: 'keeper', page: 8, quote: 'a fall of 3 millimetres' }] },
      { says: [/28/], from: [{ book: 'bees', page: 13, quote: 'below 28 degrees' }] },
    ],
    limits: { calls: 8, tokens: 14_000, reads: 5 },
  },
  {
    id: 'outline-first',
    says: [
      'Which chapters of the canal history deal with money troubles and the end? Name them with their pages, and say what the last dividend was.',
    ],
    start: { books },
    expects: [
      { step: 'outline', any: [{ tool: 'get_table_of_contents', with: { ids: [idOf('book', 'canal')] } }] },
      { step: 'read', any: opens('canal', 17), after: ['outline'] },
    ],
    claims: [
      {
        says: [/four shillings/, /1889/],
        from: [{ book: 'canal', page: 17, quote: 'The last dividend, of four shillings, had been paid in 1889' }],
      },
    ],
    answers: [{ matches: /Decline/ }, { matches: /Closure/ }],
    limits: { calls: 6, tokens: 8000, reads: 4 },
  },
  {
    id: 'longer-than-an-answer',
    says: [
      'Go through all sixty harbours of the Sund almanac: which one has the highest mean high water in January, and how high is it?',
    ],
    start: { books: ['bees', 'almanac'] },
    expects: [
      {
        step: 'begin',
        any: opens('almanac', 1),
      },
      {
        step: 'go on',
        any: [
          {
            tool: 'read_items',
            with: {
              items: [{ id: idOf('book', 'almanac'), pages: (pages) => covers(stations)(pages) && !covers(1)(pages) }],
            },
          },
        ],
        after: ['begin'],
      },
    ],
    claims: [
      {
        says: [new RegExp(stationName(highest)), new RegExp(highWater(highest, 0).toFixed(2).replace('.', '\\.'))],
        from: [{ book: 'almanac', page: highest, quote: `| January | ${highWater(highest, 0).toFixed(2)} |` }],
      },
    ],
    limits: { calls: 10, tokens: 90_000, reads: 9 },
  },
  {
    id: 'imported-file',
    says: ['I put in a PDF about whales. What is its second page about?'],
    start: { books: ['bees'], pdf: true },
    expects: [{ step: 'read', any: opens('whales', 2) }],
    answers: [{ matches: /ships/i }, { matches: /\(Whales and Ships, p\. 2\)/ }],
    limits: { calls: 5, tokens: 5000, reads: 2 },
  },
  {
    id: 'arithmetic-on-a-page',
    says: [
      'The hour meter of engine number one at the lighthouse shows 2,000. Which figure of the old log does that correspond to?',
    ],
    start: { books },
    expects: [{ step: 'read', any: opens('keeper', 11) }],
    claims: [{ says: [/18[,.]?204/], from: [{ book: 'keeper', page: 11, quote: 'add 18,204 hours' }] }],
    answers: [{ matches: /20[,.]?204/ }],
    limits: { calls: 6, tokens: 8000, reads: 3 },
  },
  {
    id: 'two-lookups',
    says: ['At what free disk space does Tarn stop taking messages, and at what does it begin again?'],
    start: { books },
    expects: [
      { step: 'look', any: [...looksFor(/disk/i), ...looksAround] },
      { step: 'read', any: opens('tarn', 17), after: ['look'] },
    ],
    claims: [
      {
        says: [/2 percent|2 ?%/, /4 percent|4 ?%/],
        from: [{ book: 'tarn', page: 17, quote: 'It takes messages again when 4 percent are free' }],
      },
    ],
    limits: { calls: 6, tokens: 8000, reads: 3 },
  },
]
