import { coversPages, placeholderOf, discoversBooks, opensPages } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const books = ['keeper', 'tarn', 'canal', 'bees'] as const

/** Tasks about the contents of the library, the accuracy of quotations, and saved research. */
export const surveying: Task[] = [
  {
    id: 'without-opening',
    userTurns: [
      'Which of my books is by Nadia Orlandi, and how many pages does it have? Do not use up any of my reads for this.',
    ],
    initialState: { books },
    expectedSteps: [{ name: 'look', anyOf: discoversBooks }],
    answerPatterns: [{ matches: /Bees on the Terraces/ }, { matches: /\b20\b|twenty/i }],
    limits: { calls: 3, tokens: 6000, reads: 0 },
  },
  {
    id: 'library-at-a-glance',
    userTurns: ['What do I have here, roughly, and is there anything on shelves yet?'],
    initialState: { books, shelves: { Workbench: ['tarn'], Countryside: ['bees', 'canal'] } },
    expectedSteps: [{ name: 'look', anyOf: [{ tool: ['library_summary', 'list_items'] }] }],
    answerPatterns: [{ matches: /\b(?:4|four)\b/i }, { matches: /Workbench/ }, { matches: /Countryside/ }],
    limits: { calls: 4, tokens: 8000, reads: 0 },
  },
  {
    id: 'all-titles',
    userTurns: ['List every book I own with its author.'],
    initialState: { books: [...books, 'recipes', 'soap'] },
    expectedSteps: [{ name: 'list', anyOf: [{ tool: ['list_items', 'library_summary'] }] }],
    answerPatterns: [
      { matches: /Keeper's Handbook.*Isla Merrow/ },
      { matches: /Operating Tarn.*Devon Achterberg/ },
      { matches: /Marrowby Canal.*Ruth Penhallow/ },
      { matches: /Bees on the Terraces.*Nadia Orlandi/ },
      { matches: /Neighbourhood Recipes.*Linden Street/ },
      { matches: /Short Course in Soap.*Bea Ferrant/ },
    ],
    limits: { calls: 4, tokens: 8000, reads: 0 },
  },
  {
    id: 'quotations-of-an-essay',
    userTurns: [
      'In my essay I quote the canal history: on page 5, “tokens were not used again”; on page 7, “less than half of what it had cost in the winter of the petition”; on page 10, “the minute book never again mentions her”. Are these quotations right?',
    ],
    initialState: { books },
    expectedSteps: [
      {
        name: 'check',
        anyOf: [
          {
            tool: 'check_citations',
            arguments: {
              citations: [
                { itemId: placeholderOf('book', 'canal'), page: 5 },
                { itemId: placeholderOf('book', 'canal'), page: 7 },
                { itemId: placeholderOf('book', 'canal'), page: 10 },
              ],
            },
          },
          ...opensPages('canal', 5, 7, 10),
        ],
      },
    ],
    answerPatterns: [{ matches: /(?:third|page 10|p\. 10)[\s\S]*(?:not|wrong|differ|n't)/i }],
    limits: { calls: 6, tokens: 8000, reads: 2 },
  },
  {
    id: 'grouped-research',
    userTurns: [
      'I am working on the boatmen’s strike of 1874. Keep what you read for it together as one piece of research, and close that when you have the answer: how long did no boat move, and what did they get?',
    ],
    initialState: { books },
    expectedSteps: [
      { name: 'start', anyOf: [{ tool: 'start_access_session', arguments: { intent: /strike/i } }] },
      {
        name: 'read',
        anyOf: [
          {
            tool: ['read_items', 'get_item_content'],
            arguments: {
              sessionId: /^\{\{new:/,
              items: [{ id: placeholderOf('book', 'canal'), pages: coversPages(15) }],
            },
          },
        ],
        after: ['start'],
      },
      {
        name: 'close',
        anyOf: [{ tool: 'complete_access_session', arguments: { sessionId: /^\{\{new:/ } }],
        after: ['read'],
      },
    ],
    claims: [
      {
        statements: [/thirty-four|34/],
        sources: [{ book: 'canal', page: 15, quote: 'no boat moved for thirty-four days' }],
      },
      {
        statements: [/halfpenny|half a penny/],
        sources: [{ book: 'canal', page: 15, quote: 'the committee gave a halfpenny' }],
      },
    ],
    limits: { calls: 8, tokens: 9000, reads: 3 },
  },
]
