import { coversPages, destructiveCalls, placeholderOf, opensPages } from '../call-patterns.ts'
import type { Task } from '../task.ts'

/**
 * Tasks that the plan or the credential does not allow: the agent reports this in the server's words and does not
 * retry.
 */
export const planLimits: Task[] = [
  {
    id: 'reads-left',
    userTurns: ['Which plan am I on, and how many books may I still open this month?'],
    initialState: { books: ['bees'], plan: { monthlyReadLimit: 40, tierDisplay: 'Reader' }, readsUsed: 28 },
    expectedSteps: [{ name: 'ask', anyOf: [{ tool: ['whoami', 'library_summary'] }] }],
    answerPatterns: [{ matches: /\b12\b|twelve/i }, { matches: /Reader|USERS/ }],
    limits: { calls: 3, tokens: 3000, reads: 0 },
  },
  {
    id: 'who-am-i',
    userTurns: ['Under which address and name am I signed in, and may I publish on the market?'],
    initialState: { books: ['bees'], plan: { canPublish: false } },
    expectedSteps: [{ name: 'ask', anyOf: [{ tool: 'whoami' }] }],
    answerPatterns: [
      { matches: /ada\.lovell@lectern\.example/ },
      { matches: /Ada Lovell/ },
      { matches: /\bno\b|\bnot\b|n't|n’t/i },
    ],
    limits: { calls: 2, tokens: 2000, reads: 0 },
  },
  {
    id: 'library-is-full',
    userTurns: ['Make me an empty book called “Ideas”.'],
    initialState: { books: ['keeper', 'bees'], plan: { itemLimit: 2 } },
    expectedSteps: [
      {
        name: 'refused',
        anyOf: [{ tool: 'create_markdown_item', arguments: { title: 'Ideas' }, refusalText: /^UPGRADE REQUIRED/ }],
      },
    ],
    forbiddenCalls: [{ tool: 'create_markdown_item', atMost: 1 }, ...destructiveCalls],
    relayedRefusal: 'UPGRADE REQUIRED',
    limits: { calls: 4, tokens: 3000, reads: 0 },
  },
  {
    id: 'no-reads-left',
    userTurns: ['What does the bee book say about robbing?'],
    initialState: { books: ['keeper', 'bees'], plan: { monthlyReadLimit: 40 }, readsUsed: 40 },
    expectedSteps: [
      {
        name: 'refused',
        anyOf: [
          {
            tool: ['read_items', 'get_table_of_contents', 'get_item_content', 'fetch'],
            refusalText: /^UPGRADE REQUIRED/,
          },
        ],
      },
    ],
    forbiddenCalls: [{ tool: ['read_items', 'get_item_content', 'fetch', 'get_table_of_contents'], atMost: 1 }],
    relayedRefusal: 'UPGRADE REQUIRED',
    limits: { calls: 4, tokens: 4000, reads: 0 },
  },
  {
    id: 'locked-book',
    userTurns: ['What is the largest message that Tarn takes?'],
    initialState: { books: ['keeper', 'bees', 'tarn'], laterPlan: { itemLimit: 2 } },
    expectedSteps: [
      {
        name: 'refused',
        anyOf: [
          {
            tool: ['read_items', 'get_table_of_contents', 'get_item_content', 'fetch'],
            arguments: /book:tarn/,
            refusalText: /^SOME BOOKS ARE LOCKED/,
          },
        ],
      },
    ],
    forbiddenCalls: [
      { tool: ['read_items', 'get_item_content', 'fetch', 'get_table_of_contents'], arguments: /book:tarn/, atMost: 1 },
      ...destructiveCalls,
    ],
    relayedRefusal: 'SOME BOOKS ARE LOCKED',
    forbiddenTexts: [/4 MiB/],
    limits: { calls: 5, tokens: 5000, reads: 0 },
  },
  {
    id: 'one-of-two-is-locked',
    userTurns: ['At which wind does the derrick of the lighthouse stop, and how many connections does Tarn accept?'],
    initialState: { books: ['keeper', 'bees', 'tarn'], laterPlan: { itemLimit: 2 } },
    expectedSteps: [
      { name: 'read', anyOf: opensPages('keeper', 4) },
      { name: 'locked', anyOf: [{ tool: ['read_items', 'get_table_of_contents'], arguments: /book:tarn/ }] },
    ],
    claims: [{ statements: [/25 knots/], sources: [{ book: 'keeper', page: 4, quote: 'in winds above 25 knots' }] }],
    answerPatterns: [{ matches: /locked/i }, { matches: /\/plans/ }],
    forbiddenTexts: [/1,?000 connections/],
    limits: { calls: 7, tokens: 8000, reads: 3 },
  },
  {
    id: 'few-reads-spent-well',
    userTurns: [
      'I have few reads left, so use at most one: on which page of the canal history is the tunnel described, and how long did it take to leg a boat through?',
    ],
    initialState: { books: ['canal', 'keeper'], plan: { monthlyReadLimit: 40 }, readsUsed: 39 },
    expectedSteps: [
      { name: 'look', anyOf: [{ tool: ['search_items', 'search'] }] },
      {
        name: 'read',
        anyOf: [
          { tool: 'read_items', arguments: { items: [{ id: placeholderOf('book', 'canal'), pages: coversPages(6) }] } },
          { tool: 'fetch', arguments: { id: `${placeholderOf('book', 'canal')}:6` } },
        ],
        after: ['look'],
      },
    ],
    claims: [
      {
        statements: [/an hour and twenty/],
        sources: [{ book: 'canal', page: 6, quote: 'which took an hour and twenty minutes' }],
      },
    ],
    limits: { calls: 4, tokens: 6000, reads: 1 },
  },
  {
    id: 'connection-may-only-read',
    userTurns: ['Make a shelf called “Evening” for me.'],
    initialState: { books: ['bees'], scopes: ['library:read'] },
    expectedSteps: [{ name: 'refused', anyOf: [{ tool: 'create_shelf', refusalText: /scope/i }] }],
    forbiddenCalls: [{ tool: 'create_shelf', atMost: 1 }],
    answerPatterns: [{ matches: /library:write|permission|allowed|scope|may only read/i }],
    limits: { calls: 3, tokens: 2000, reads: 0 },
  },
  {
    id: 'connection-without-the-market',
    userTurns: ['Is there a book on soap that others offer?'],
    initialState: {
      books: ['bees'],
      scopes: ['library:read', 'library:write'],
      marketOffers: [{ book: 'soap', category: 'design' }],
    },
    expectedSteps: [{ name: 'refused', anyOf: [{ tool: 'browse_marketplace', refusalText: /scope/i }] }],
    forbiddenCalls: [{ tool: 'browse_marketplace', atMost: 1 }],
    forbiddenTexts: [/Short Course/],
    answerPatterns: [{ matches: /marketplace:read|permission|allowed|scope/i }],
    limits: { calls: 4, tokens: 3000, reads: 0 },
  },
  {
    id: 'too-many-writes',
    userTurns: ['Make me three shelves: Dawn, Noon and Dusk.'],
    initialState: { books: ['bees'], rateLimits: { mcp_write: 2 } },
    expectedSteps: [
      { name: 'two', anyOf: [{ tool: 'create_shelf' }] },
      { name: 'refused', anyOf: [{ tool: 'create_shelf', refusalText: /^rate_limited: .*retry in/ }], after: ['two'] },
    ],
    forbiddenCalls: [{ tool: 'create_shelf', atMost: 4 }],
    answerPatterns: [{ matches: /second|minute|later|wait/i }],
    limits: { calls: 6, tokens: 3000, reads: 0 },
  },
]
