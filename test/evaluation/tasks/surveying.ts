import { covers, idOf, looksAround, opens } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const books = ['keeper', 'tarn', 'canal', 'bees'] as const

/** What is in the library, whether quotations are right, and research that is kept together. */
export const surveying: Task[] = [
  {
    id: 'without-opening',
    says: [
      'Which of my books is by Nadia Orlandi, and how many pages does it have? Do not use up any of my reads for this.',
    ],
    start: { books },
    expects: [{ step: 'look', any: looksAround }],
    answers: [{ matches: /Bees on the Terraces/ }, { matches: /\b20\b|twenty/i }],
    limits: { calls: 3, tokens: 6000, reads: 0 },
  },
  {
    id: 'library-at-a-glance',
    says: ['What do I have here, roughly, and is there anything on shelves yet?'],
    start: { books, shelves: { Workbench: ['tarn'], Countryside: ['bees', 'canal'] } },
    expects: [{ step: 'look', any: [{ tool: ['library_summary', 'list_items'] }] }],
    answers: [{ matches: /\b(?:4|four)\b/i }, { matches: /Workbench/ }, { matches: /Countryside/ }],
    limits: { calls: 4, tokens: 8000, reads: 0 },
  },
  {
    id: 'all-titles',
    says: ['List every book I own with its author.'],
    start: { books: [...books, 'recipes', 'soap'] },
    expects: [{ step: 'list', any: [{ tool: ['list_items', 'library_summary'] }] }],
    answers: [
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
    says: [
      'In my essay I quote the canal history: on page 5, “tokens were not used again”; on page 7, “less than half of what it had cost in the winter of the petition”; on page 10, “the minute book never again mentions her”. Are these quotations right?',
    ],
    start: { books },
    expects: [
      {
        step: 'check',
        any: [
          {
            tool: 'check_citations',
            with: {
              citations: [
                { itemId: idOf('book', 'canal'), page: 5 },
                { itemId: idOf('book', 'canal'), page: 7 },
                { itemId: idOf('book', 'canal'), page: 10 },
              ],
            },
          },
          ...opens('canal', 5, 7, 10),
        ],
      },
    ],
    answers: [{ matches: /(?:third|page 10|p\. 10)[\s\S]*(?:not|wrong|differ|n't)/i }],
    limits: { calls: 6, tokens: 8000, reads: 2 },
  },
  {
    id: 'grouped-research',
    says: [
      'I am working on the boatmen’s strike of 1874. Keep what you read for it together as one piece of research, and close that when you have the answer: how long did no boat move, and what did they get?',
    ],
    start: { books },
    expects: [
      { step: 'start', any: [{ tool: 'start_access_session', with: { intent: /strike/i } }] },
      {
        step: 'read',
        any: [
          {
            tool: ['read_items', 'get_item_content'],
            with: { sessionId: /^\{\{new:/, items: [{ id: idOf('book', 'canal'), pages: covers(15) }] },
          },
        ],
        after: ['start'],
      },
      { step: 'close', any: [{ tool: 'complete_access_session', with: { sessionId: /^\{\{new:/ } }], after: ['read'] },
    ],
    claims: [
      { says: [/thirty-four|34/], from: [{ book: 'canal', page: 15, quote: 'no boat moved for thirty-four days' }] },
      {
        says: [/halfpenny|half a penny/],
        from: [{ book: 'canal', page: 15, quote: 'the committee gave a halfpenny' }],
      },
    ],
    limits: { calls: 8, tokens: 9000, reads: 3 },
  },
]
