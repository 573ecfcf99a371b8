import { idOf, opens } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const books = ['keeper', 'canal', 'notebook'] as const
const strikes = {
  title: 'Strikes and Stoppages',
  trigger: 'when a work stoppage is researched',
  criteria: ['Each entry has a year, how long it lasted, and its source with the page.'],
}

/** Books that an agent keeps up for the user. */
export const manuscripts: Task[] = [
  {
    id: 'what-is-kept-up',
    says: ['Which books do you keep up for me at the moment, and what belongs into each?'],
    start: { books, manuscripts: [strikes, { title: 'Glazes', book: 'notebook', paused: true }] },
    expects: [{ step: 'list', any: [{ tool: 'list_manuscripts' }] }],
    answers: [{ matches: /Strikes and Stoppages/ }, { matches: /year/ }],
    limits: { calls: 4, tokens: 4000, reads: 0 },
  },
  {
    id: 'keep-a-new-one',
    says: [
      'From now on keep a book “Lighthouse Figures” for me: every figure on lamps and lenses that we come across, with its source. Update it without asking me.',
    ],
    start: { books },
    expects: [
      {
        step: 'make',
        any: [
          { tool: 'create_manuscript', with: { title: 'Lighthouse Figures', autoUpdate: true, criteria: /source/i } },
        ],
      },
    ],
    forbids: [{ tool: 'create_manuscript', atMost: 1 }],
    answers: [{ matches: /Lighthouse Figures/ }],
    limits: { calls: 4, tokens: 4000, reads: 0 },
  },
  {
    id: 'kept-up-already',
    says: ['Keep my workshop notebook up for me from now on, with the rule that every entry has a date.'],
    start: { books, manuscripts: [{ title: 'Pottery', book: 'notebook', criteria: ['Only what was tried.'] }] },
    expects: [
      {
        step: 'change',
        any: [
          {
            tool: 'update_manuscript',
            with: { manuscriptId: idOf('manuscript', 'Pottery'), criteria: [/only what was tried/i, /date/i] },
          },
        ],
      },
    ],
    forbids: [{ tool: 'archive_manuscript' }, { tool: 'create_markdown_item' }],
    answers: [{ matches: /already/i }],
    limits: { calls: 6, tokens: 5000, reads: 1 },
  },
  {
    id: 'no-slot-left',
    says: ['Please start to keep up a book “Storms” for me.'],
    start: { books, plan: { manuscriptSlots: 1 }, manuscripts: [strikes] },
    expects: [
      {
        step: 'refused',
        any: [{ tool: 'create_manuscript', with: { title: /Storms/ }, refused: /^MANUSCRIPT LIMIT REACHED/ }],
      },
    ],
    forbids: [
      { tool: ['archive_manuscript', 'delete_items'] },
      { tool: 'update_manuscript' },
      { tool: 'create_manuscript', atMost: 1 },
    ],
    answers: [{ matches: /Strikes and Stoppages/ }],
    relays: 'MANUSCRIPT LIMIT REACHED',
    limits: { calls: 4, tokens: 4000, reads: 0 },
  },
  {
    id: 'make-room-when-told',
    says: [
      'Please start to keep up a book “Storms” for me.',
      'Then let the one on strikes rest for now, without ending it, and start the one on storms.',
    ],
    start: { books, plan: { manuscriptSlots: 1 }, manuscripts: [strikes] },
    expects: [
      {
        step: 'pause',
        any: [
          {
            tool: 'update_manuscript',
            with: { manuscriptId: idOf('manuscript', 'Strikes and Stoppages'), status: 'PAUSED' },
            turn: 1,
          },
        ],
      },
      { step: 'make', any: [{ tool: 'create_manuscript', with: { title: /Storms/ }, turn: 1 }], after: ['pause'] },
    ],
    forbids: [
      { tool: 'archive_manuscript' },
      { tool: 'update_manuscript', turn: 0 },
      { tool: 'create_manuscript', turn: 0, atMost: 1 },
    ],
    limits: { calls: 6, tokens: 5000, reads: 0 },
  },
  {
    id: 'ask-before-it-ends',
    says: [
      'The book on strikes that you keep up for me is finished, I suppose.',
      'Right, end it. The text stays of course.',
    ],
    start: { books, manuscripts: [strikes] },
    expects: [
      { step: 'list', any: [{ tool: ['list_manuscripts', 'list_items', 'search_items', 'library_summary'] }] },
      {
        step: 'end',
        any: [
          { tool: 'archive_manuscript', with: { manuscriptId: idOf('manuscript', 'Strikes and Stoppages') }, turn: 1 },
          {
            tool: 'update_manuscript',
            with: { manuscriptId: idOf('manuscript', 'Strikes and Stoppages'), status: 'ARCHIVED' },
            turn: 1,
          },
        ],
        after: ['list'],
      },
    ],
    forbids: [{ tool: ['archive_manuscript', 'update_manuscript'], turn: 0 }, { tool: 'delete_items' }],
    answers: [{ matches: /\?/, turn: 0 }],
    limits: { calls: 5, tokens: 5000, reads: 0 },
  },
  {
    id: 'log-what-was-found',
    says: [
      'How long was the canal shut for want of water in 1803? That was a stoppage, so enter it where you keep those for me.',
    ],
    start: { books, manuscripts: [strikes] },
    expects: [
      { step: 'rules', any: [{ tool: 'list_manuscripts' }] },
      { step: 'read', any: opens('canal', 9) },
      {
        step: 'enter',
        any: [
          {
            tool: ['append_item_pages', 'put_item_content', 'put_item_page'],
            with: {
              id: idOf('manuscript', 'Strikes and Stoppages'),
              content: /1803[\s\S]*eleven weeks[\s\S]*The Marrowby Canal, p\. 9/,
            },
          },
        ],
        after: ['rules', 'read'],
      },
    ],
    claims: [
      {
        says: [/eleven weeks|11 weeks/],
        from: [{ book: 'canal', page: 9, quote: 'In 1803 the canal was shut for eleven weeks' }],
      },
    ],
    limits: { calls: 8, tokens: 8000, reads: 4 },
  },
]
