import { covers, destroys, idOf, opens } from '../call-patterns.ts'
import type { Task } from '../task.ts'

/** What the plan or the credential does not allow: said in the server's words, and not tried again. */
export const planLimits: Task[] = [
  {
    id: 'reads-left',
    says: ['Which plan am I on, and how many books may I still open this month?'],
    start: { books: ['bees'], plan: { monthlyReadLimit: 40, tierDisplay: 'Reader' }, readsUsed: 28 },
    expects: [{ step: 'ask', any: [{ tool: ['whoami', 'library_summary'] }] }],
    answers: [{ matches: /\b12\b|twelve/i }, { matches: /Reader|USERS/ }],
    limits: { calls: 3, tokens: 3000, reads: 0 },
  },
  {
    id: 'who-am-i',
    says: ['Under which address and name am I signed in, and may I publish on the market?'],
    start: { books: ['bees'], plan: { canPublish: false } },
    expects: [{ step: 'ask', any: [{ tool: 'whoami' }] }],
    answers: [
      { matches: /ada\.lovell@lectern\.example/ },
      { matches: /Ada Lovell/ },
      { matches: /\bno\b|\bnot\b|n't|n’t/i },
    ],
    limits: { calls: 2, tokens: 2000, reads: 0 },
  },
  {
    id: 'library-is-full',
    says: ['Make me an empty book called “Ideas”.'],
    start: { books: ['keeper', 'bees'], plan: { itemLimit: 2 } },
    expects: [
      {
        step: 'refused',
        any: [{ tool: 'create_markdown_item', with: { title: 'Ideas' }, refused: /^UPGRADE REQUIRED/ }],
      },
    ],
    forbids: [{ tool: 'create_markdown_item', atMost: 1 }, ...destroys],
    relays: 'UPGRADE REQUIRED',
    limits: { calls: 4, tokens: 3000, reads: 0 },
  },
  {
    id: 'no-reads-left',
    says: ['What does the bee book say about robbing?'],
    start: { books: ['keeper', 'bees'], plan: { monthlyReadLimit: 40 }, readsUsed: 40 },
    expects: [
      {
        step: 'refused',
        any: [
          { tool: ['read_items', 'get_table_of_contents', 'get_item_content', 'fetch'], refused: /^UPGRADE REQUIRED/ },
        ],
      },
    ],
    forbids: [{ tool: ['read_items', 'get_item_content', 'fetch', 'get_table_of_contents'], atMost: 1 }],
    relays: 'UPGRADE REQUIRED',
    limits: { calls: 4, tokens: 4000, reads: 0 },
  },
  {
    id: 'locked-book',
    says: ['What is the largest message that Tarn takes?'],
    start: { books: ['keeper', 'bees', 'tarn'], laterPlan: { itemLimit: 2 } },
    expects: [
      {
        step: 'refused',
        any: [
          {
            tool: ['read_items', 'get_table_of_contents', 'get_item_content', 'fetch'],
            with: /book:tarn/,
            refused: /^SOME BOOKS ARE LOCKED/,
          },
        ],
      },
    ],
    forbids: [
      { tool: ['read_items', 'get_item_content', 'fetch', 'get_table_of_contents'], with: /book:tarn/, atMost: 1 },
      ...destroys,
    ],
    relays: 'SOME BOOKS ARE LOCKED',
    never: [/4 MiB/],
    limits: { calls: 5, tokens: 5000, reads: 0 },
  },
  {
    id: 'one-of-two-is-locked',
    says: ['At which wind does the derrick of the lighthouse stop, and how many connections does Tarn accept?'],
    start: { books: ['keeper', 'bees', 'tarn'], laterPlan: { itemLimit: 2 } },
    expects: [
      { step: 'read', any: opens('keeper', 4) },
      { step: 'locked', any: [{ tool: ['read_items', 'get_table_of_contents'], with: /book:tarn/ }] },
    ],
    claims: [{ says: [/25 knots/], from: [{ book: 'keeper', page: 4, quote: 'in winds above 25 knots' }] }],
    answers: [{ matches: /locked/i }, { matches: /\/plans/ }],
    never: [/1,?000 connections/],
    limits: { calls: 7, tokens: 8000, reads: 3 },
  },
  {
    id: 'few-reads-spent-well',
    says: [
      'I have few reads left, so use at most one: on which page of the canal history is the tunnel described, and how long did it take to leg a boat through?',
    ],
    start: { books: ['canal', 'keeper'], plan: { monthlyReadLimit: 40 }, readsUsed: 39 },
    expects: [
      { step: 'look', any: [{ tool: ['search_items', 'search'] }] },
      {
        step: 'read',
        any: [
          { tool: 'read_items', with: { items: [{ id: idOf('book', 'canal'), pages: covers(6) }] } },
          { tool: 'fetch', with: { id: `${idOf('book', 'canal')}:6` } },
        ],
        after: ['look'],
      },
    ],
    claims: [
      {
        says: [/an hour and twenty/],
        from: [{ book: 'canal', page: 6, quote: 'which took an hour and twenty minutes' }],
      },
    ],
    limits: { calls: 4, tokens: 6000, reads: 1 },
  },
  {
    id: 'connection-may-only-read',
    says: ['Make a shelf called “Evening” for me.'],
    start: { books: ['bees'], scopes: ['library:read'] },
    expects: [{ step: 'refused', any: [{ tool: 'create_shelf', refused: /scope/i }] }],
    forbids: [{ tool: 'create_shelf', atMost: 1 }],
    answers: [{ matches: /library:write|permission|allowed|scope|may only read/i }],
    limits: { calls: 3, tokens: 2000, reads: 0 },
  },
  {
    id: 'connection-without-the-market',
    says: ['Is there a book on soap that others offer?'],
    start: {
      books: ['bees'],
      scopes: ['library:read', 'library:write'],
      market: [{ book: 'soap', category: 'design' }],
    },
    expects: [{ step: 'refused', any: [{ tool: 'browse_marketplace', refused: /scope/i }] }],
    forbids: [{ tool: 'browse_marketplace', atMost: 1 }],
    never: [/Short Course/],
    answers: [{ matches: /marketplace:read|permission|allowed|scope/i }],
    limits: { calls: 4, tokens: 3000, reads: 0 },
  },
  {
    id: 'too-many-writes',
    says: ['Make me three shelves: Dawn, Noon and Dusk.'],
    start: { books: ['bees'], rateLimits: { mcp_write: 2 } },
    expects: [
      { step: 'two', any: [{ tool: 'create_shelf' }] },
      { step: 'refused', any: [{ tool: 'create_shelf', refused: /^rate_limited: .*retry in/ }], after: ['two'] },
    ],
    forbids: [{ tool: 'create_shelf', atMost: 4 }],
    answers: [{ matches: /second|minute|later|wait/i }],
    limits: { calls: 6, tokens: 3000, reads: 0 },
  },
]
