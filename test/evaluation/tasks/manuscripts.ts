import { placeholderOf, opensPages } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const books = ['keeper', 'canal', 'notebook'] as const
const strikes = {
  title: 'Strikes and Stoppages',
  trigger: 'when a work stoppage is researched',
  criteria: ['Each entry has a year, how long it lasted, and its source with the page.'],
}

/** Tasks about books that an agent maintains for the user. */
export const manuscripts: Task[] = [
  {
    id: 'what-is-kept-up',
    userTurns: ['Which books do you keep up for me at the moment, and what belongs into each?'],
    initialState: { books, manuscripts: [strikes, { title: 'Glazes', book: 'notebook', paused: true }] },
    expectedSteps: [{ name: 'list', anyOf: [{ tool: 'list_manuscripts' }] }],
    answerPatterns: [{ matches: /Strikes and Stoppages/ }, { matches: /year/ }],
    limits: { calls: 4, tokens: 4000, reads: 0 },
  },
  {
    id: 'keep-a-new-one',
    userTurns: [
      'From now on keep a book “Lighthouse Figures” for me: every figure on lamps and lenses that we come across, with its source. Update it without asking me.',
    ],
    initialState: { books },
    expectedSteps: [
      {
        name: 'make',
        anyOf: [
          {
            tool: 'create_manuscript',
            arguments: { title: 'Lighthouse Figures', autoUpdate: true, criteria: /source/i },
          },
        ],
      },
    ],
    forbiddenCalls: [{ tool: 'create_manuscript', atMost: 1 }],
    answerPatterns: [{ matches: /Lighthouse Figures/ }],
    limits: { calls: 4, tokens: 4000, reads: 0 },
  },
  {
    id: 'kept-up-already',
    userTurns: ['Keep my workshop notebook up for me from now on, with the rule that every entry has a date.'],
    initialState: { books, manuscripts: [{ title: 'Pottery', book: 'notebook', criteria: ['Only what was tried.'] }] },
    expectedSteps: [
      {
        name: 'change',
        anyOf: [
          {
            tool: 'update_manuscript',
            arguments: {
              manuscriptId: placeholderOf('manuscript', 'Pottery'),
              criteria: [/only what was tried/i, /date/i],
            },
          },
        ],
      },
    ],
    forbiddenCalls: [{ tool: 'archive_manuscript' }, { tool: 'create_markdown_item' }],
    answerPatterns: [{ matches: /already/i }],
    limits: { calls: 6, tokens: 5000, reads: 1 },
  },
  {
    id: 'no-slot-left',
    userTurns: ['Please start to keep up a book “Storms” for me.'],
    initialState: { books, plan: { manuscriptSlots: 1 }, manuscripts: [strikes] },
    expectedSteps: [
      {
        name: 'refused',
        anyOf: [
          { tool: 'create_manuscript', arguments: { title: /Storms/ }, refusalText: /^MANUSCRIPT LIMIT REACHED/ },
        ],
      },
    ],
    forbiddenCalls: [
      { tool: ['archive_manuscript', 'delete_items'] },
      { tool: 'update_manuscript' },
      { tool: 'create_manuscript', atMost: 1 },
    ],
    answerPatterns: [{ matches: /Strikes and Stoppages/ }],
    relayedRefusal: 'MANUSCRIPT LIMIT REACHED',
    limits: { calls: 4, tokens: 4000, reads: 0 },
  },
  {
    id: 'make-room-when-told',
    userTurns: [
      'Please start to keep up a book “Storms” for me.',
      'Then let the one on strikes rest for now, without ending it, and start the one on storms.',
    ],
    initialState: { books, plan: { manuscriptSlots: 1 }, manuscripts: [strikes] },
    expectedSteps: [
      {
        name: 'pause',
        anyOf: [
          {
            tool: 'update_manuscript',
            arguments: { manuscriptId: placeholderOf('manuscript', 'Strikes and Stoppages'), status: 'PAUSED' },
            turn: 1,
          },
        ],
      },
      {
        name: 'make',
        anyOf: [{ tool: 'create_manuscript', arguments: { title: /Storms/ }, turn: 1 }],
        after: ['pause'],
      },
    ],
    forbiddenCalls: [
      { tool: 'archive_manuscript' },
      { tool: 'update_manuscript', turn: 0 },
      { tool: 'create_manuscript', turn: 0, atMost: 1 },
    ],
    limits: { calls: 6, tokens: 5000, reads: 0 },
  },
  {
    id: 'ask-before-it-ends',
    userTurns: [
      'The book on strikes that you keep up for me is finished, I suppose.',
      'Right, end it. The text stays of course.',
    ],
    initialState: { books, manuscripts: [strikes] },
    expectedSteps: [
      { name: 'list', anyOf: [{ tool: ['list_manuscripts', 'list_items', 'search_items', 'library_summary'] }] },
      {
        name: 'end',
        anyOf: [
          {
            tool: 'archive_manuscript',
            arguments: { manuscriptId: placeholderOf('manuscript', 'Strikes and Stoppages') },
            turn: 1,
          },
          {
            tool: 'update_manuscript',
            arguments: { manuscriptId: placeholderOf('manuscript', 'Strikes and Stoppages'), status: 'ARCHIVED' },
            turn: 1,
          },
        ],
        after: ['list'],
      },
    ],
    forbiddenCalls: [{ tool: ['archive_manuscript', 'update_manuscript'], turn: 0 }, { tool: 'delete_items' }],
    answerPatterns: [{ matches: /\?/, turn: 0 }],
    limits: { calls: 5, tokens: 5000, reads: 0 },
  },
  {
    id: 'log-what-was-found',
    userTurns: [
      'How long was the canal shut for want of water in 1803? That was a stoppage, so enter it where you keep those for me.',
    ],
    initialState: { books, manuscripts: [strikes] },
    expectedSteps: [
      { name: 'rules', anyOf: [{ tool: 'list_manuscripts' }] },
      { name: 'read', anyOf: opensPages('canal', 9) },
      {
        name: 'enter',
        anyOf: [
          {
            tool: ['append_item_pages', 'put_item_content', 'put_item_page'],
            arguments: {
              id: placeholderOf('manuscript', 'Strikes and Stoppages'),
              content: /1803[\s\S]*eleven weeks[\s\S]*The Marrowby Canal, p\. 9/,
            },
          },
        ],
        after: ['rules', 'read'],
      },
    ],
    claims: [
      {
        statements: [/eleven weeks|11 weeks/],
        sources: [{ book: 'canal', page: 9, quote: 'In 1803 the canal was shut for eleven weeks' }],
      },
    ],
    limits: { calls: 8, tokens: 8000, reads: 4 },
  },
]
