import { idOf, opens } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const market = [
  { book: 'soap', category: 'design', tags: ['crafts'] },
  { book: 'knots', category: 'other', tags: ['sailing'], proOnly: true },
] as const satisfies { book: 'soap' | 'knots'; category: string; tags: readonly string[]; proOnly?: boolean }[]

const offered = market.map((each) => ({ ...each, tags: [...each.tags] }))
const added = offered.map((each) => ({ ...each, added: true }))
const books = ['keeper', 'bees'] as const

/** Books of others: looking, adding, previews and taking out. */
export const marketplace: Task[] = [
  {
    id: 'look-but-do-not-add',
    says: ['I have nothing on making soap. Is there a book on it that others offer? Only tell me about it for now.'],
    start: { books, market: offered },
    expects: [{ step: 'browse', any: [{ tool: 'browse_marketplace' }] }],
    forbids: [{ tool: ['subscribe_marketplace', 'create_markdown_item'] }],
    answers: [{ matches: /A Short Course in Soap/ }, { matches: /Bea Ferrant|Fennick/ }],
    limits: { calls: 5, tokens: 6000, reads: 0 },
  },
  {
    id: 'add-and-read',
    says: [
      'Get me a book on making soap from those that others offer, and tell me from it how long the bars have to cure.',
    ],
    start: { books, market: offered },
    expects: [
      { step: 'browse', any: [{ tool: 'browse_marketplace' }] },
      {
        step: 'add',
        any: [{ tool: 'subscribe_marketplace', with: { listingId: idOf('listing', 'soap') } }],
        after: ['browse'],
      },
      { step: 'read', any: opens('soap', 4), after: ['add'] },
    ],
    forbids: [{ tool: 'subscribe_marketplace', with: { listingId: idOf('listing', 'knots') } }],
    claims: [{ says: [/six weeks|6 weeks/], from: [{ book: 'soap', page: 4, quote: 'Bars cure for six weeks' }] }],
    limits: { calls: 8, tokens: 7000, reads: 3 },
  },
  {
    id: 'wrong-category',
    says: [
      'What is there on the market in the category cooking? If there is no such category, use the one it would be under.',
    ],
    start: { books, market: offered },
    expects: [
      { step: 'browse', any: [{ tool: 'browse_marketplace', with: { category: /^(?:other|design|health)$/ } }] },
    ],
    forbids: [{ tool: 'subscribe_marketplace' }],
    answers: [{ matches: /categor/i }],
    limits: { calls: 6, tokens: 6000, reads: 0 },
  },
  {
    id: 'sorted-by-title',
    says: ['Which books that need a Pro plan are on offer, in alphabetical order?'],
    start: { books, market: offered },
    expects: [{ step: 'browse', any: [{ tool: 'browse_marketplace' }] }],
    forbids: [{ tool: 'subscribe_marketplace' }],
    answers: [{ matches: /Knots for Small Boats/ }],
    never: [/Short Course in Soap/],
    limits: { calls: 4, tokens: 5000, reads: 0 },
  },
  {
    id: 'preview-holds-it',
    says: ['What share of the strength of the rope does the bowline keep, according to my knots book?'],
    start: { books, market: added },
    expects: [{ step: 'read', any: opens('knots', 2) }],
    claims: [
      {
        says: [/65 percent|65 ?%/],
        from: [{ book: 'knots', page: 2, quote: 'about 65 percent of the strength of the rope' }],
      },
    ],
    limits: { calls: 6, tokens: 5000, reads: 2 },
  },
  {
    id: 'behind-the-preview',
    says: ['Up to how many kilograms was the Zeppelin bend tested in my knots book?'],
    start: { books, market: added },
    expects: [
      {
        step: 'try',
        any: [{ tool: ['read_items', 'get_item_content', 'get_table_of_contents', 'fetch'], with: /book:knots/ }],
      },
    ],
    answers: [{ matches: /preview/i }, { matches: /\/plans/ }],
    never: [/900/],
    limits: { calls: 7, tokens: 6000, reads: 3 },
  },
  {
    id: 'ask-before-it-is-taken-out',
    says: ['The soap course from the market was a disappointment.', 'Yes, take it out of my library again.'],
    start: { books, market: added },
    expects: [
      { step: 'browse', any: [{ tool: 'browse_marketplace' }] },
      {
        step: 'take out',
        any: [{ tool: 'unsubscribe_marketplace', with: { listingId: idOf('listing', 'soap') }, turn: 1 }],
        after: ['browse'],
      },
    ],
    forbids: [
      { tool: ['unsubscribe_marketplace', 'delete_items'], turn: 0 },
      { tool: 'unsubscribe_marketplace', with: { listingId: idOf('listing', 'knots') } },
    ],
    answers: [{ matches: /\?/, turn: 0 }],
    limits: { calls: 7, tokens: 6000, reads: 0 },
  },
]
