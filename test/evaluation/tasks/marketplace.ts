import { placeholderOf, opensPages } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const market = [
  { book: 'soap', category: 'design', tags: ['crafts'] },
  { book: 'knots', category: 'other', tags: ['sailing'], proOnly: true },
] as const satisfies { book: 'soap' | 'knots'; category: string; tags: readonly string[]; proOnly?: boolean }[]

const offers = market.map((each) => ({ ...each, tags: [...each.tags] }))
const addedOffers = offers.map((each) => ({ ...each, added: true }))
const books = ['keeper', 'bees'] as const

/** Tasks about books of others: browsing, adding, previewing and removing them. */
export const marketplace: Task[] = [
  {
    id: 'look-but-do-not-add',
    userTurns: [
      'I have nothing on making soap. Is there a book on it that others offer? Only tell me about it for now.',
    ],
    initialState: { books, marketOffers: offers },
    expectedSteps: [{ name: 'browse', anyOf: [{ tool: 'browse_marketplace' }] }],
    forbiddenCalls: [{ tool: ['subscribe_marketplace', 'create_markdown_item'] }],
    answerPatterns: [{ matches: /A Short Course in Soap/ }, { matches: /Bea Ferrant|Fennick/ }],
    limits: { calls: 5, tokens: 6000, reads: 0 },
  },
  {
    id: 'add-and-read',
    userTurns: [
      'Get me a book on making soap from those that others offer, and tell me from it how long the bars have to cure.',
    ],
    initialState: { books, marketOffers: offers },
    expectedSteps: [
      { name: 'browse', anyOf: [{ tool: 'browse_marketplace' }] },
      {
        name: 'add',
        anyOf: [{ tool: 'subscribe_marketplace', arguments: { listingId: placeholderOf('listing', 'soap') } }],
        after: ['browse'],
      },
      { name: 'read', anyOf: opensPages('soap', 4), after: ['add'] },
    ],
    forbiddenCalls: [{ tool: 'subscribe_marketplace', arguments: { listingId: placeholderOf('listing', 'knots') } }],
    claims: [
      { statements: [/six weeks|6 weeks/], sources: [{ book: 'soap', page: 4, quote: 'Bars cure for six weeks' }] },
    ],
    limits: { calls: 8, tokens: 7000, reads: 3 },
  },
  {
    id: 'wrong-category',
    userTurns: [
      'What is there on the market in the category cooking? If there is no such category, use the one it would be under.',
    ],
    initialState: { books, marketOffers: offers },
    expectedSteps: [
      { name: 'browse', anyOf: [{ tool: 'browse_marketplace', arguments: { category: /^(?:other|design|health)$/ } }] },
    ],
    forbiddenCalls: [{ tool: 'subscribe_marketplace' }],
    answerPatterns: [{ matches: /categor/i }],
    limits: { calls: 6, tokens: 6000, reads: 0 },
  },
  {
    id: 'sorted-by-title',
    userTurns: ['Which books that need a Pro plan are on offer, in alphabetical order?'],
    initialState: { books, marketOffers: offers },
    expectedSteps: [{ name: 'browse', anyOf: [{ tool: 'browse_marketplace' }] }],
    forbiddenCalls: [{ tool: 'subscribe_marketplace' }],
    answerPatterns: [{ matches: /Knots for Small Boats/ }],
    forbiddenTexts: [/Short Course in Soap/],
    limits: { calls: 4, tokens: 5000, reads: 0 },
  },
  {
    id: 'preview-holds-it',
    userTurns: ['What share of the strength of the rope does the bowline keep, according to my knots book?'],
    initialState: { books, marketOffers: addedOffers },
    expectedSteps: [{ name: 'read', anyOf: opensPages('knots', 2) }],
    claims: [
      {
        statements: [/65 percent|65 ?%/],
        sources: [{ book: 'knots', page: 2, quote: 'about 65 percent of the strength of the rope' }],
      },
    ],
    limits: { calls: 6, tokens: 5000, reads: 2 },
  },
  {
    id: 'behind-the-preview',
    userTurns: ['Up to how many kilograms was the Zeppelin bend tested in my knots book?'],
    initialState: { books, marketOffers: addedOffers },
    expectedSteps: [
      {
        name: 'try',
        anyOf: [
          { tool: ['read_items', 'get_item_content', 'get_table_of_contents', 'fetch'], arguments: /book:knots/ },
        ],
      },
    ],
    answerPatterns: [{ matches: /preview/i }, { matches: /\/plans/ }],
    forbiddenTexts: [/900/],
    limits: { calls: 7, tokens: 6000, reads: 3 },
  },
  {
    id: 'ask-before-it-is-taken-out',
    userTurns: ['The soap course from the market was a disappointment.', 'Yes, take it out of my library again.'],
    initialState: { books, marketOffers: addedOffers },
    expectedSteps: [
      { name: 'browse', anyOf: [{ tool: 'browse_marketplace' }] },
      {
        name: 'take out',
        anyOf: [
          { tool: 'unsubscribe_marketplace', arguments: { listingId: placeholderOf('listing', 'soap') }, turn: 1 },
        ],
        after: ['browse'],
      },
    ],
    forbiddenCalls: [
      { tool: ['unsubscribe_marketplace', 'delete_items'], turn: 0 },
      { tool: 'unsubscribe_marketplace', arguments: { listingId: placeholderOf('listing', 'knots') } },
    ],
    answerPatterns: [{ matches: /\?/, turn: 0 }],
    limits: { calls: 7, tokens: 6000, reads: 0 },
  },
]
