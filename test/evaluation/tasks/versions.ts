import { idOf, opens } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const notebook = idOf('book', 'notebook')
const readsNotebook = opens('notebook')
const start = { books: ['bees', 'notebook'] } as const

/** Texts that change while they are worked on, and texts of before. */
export const versions: Task[] = [
  {
    id: 'earlier-versions',
    says: ['How often has my workshop notebook been changed since it was made, and which versions are kept?'],
    start: {
      books: ['notebook'],
      edits: [
        { book: 'notebook', page: 4, replace: ['The fee is 22', 'The fee is 23'] },
        { book: 'notebook', page: 2, replace: ['40 parts feldspar', '45 parts feldspar'] },
      ],
    },
    expects: [{ step: 'list', any: [{ tool: 'list_item_versions', with: { id: notebook } }] }],
    answers: [{ matches: /\b(?:2|two|twice)\b/i }],
    limits: { calls: 4, tokens: 4000, reads: 2 },
  },
  {
    id: 'bring-back',
    says: [
      'I overwrote my celadon recipe with 45 parts of feldspar. Bring the notebook back to how it was right before that, but keep the new fee.',
    ],
    start: {
      books: ['notebook'],
      edits: [
        { book: 'notebook', page: 4, replace: ['The fee is 22', 'The fee is 23'] },
        { book: 'notebook', page: 2, replace: ['40 parts feldspar', '45 parts feldspar'] },
      ],
    },
    expects: [
      { step: 'list', any: [{ tool: 'list_item_versions', with: { id: notebook } }] },
      { step: 'restore', any: [{ tool: 'restore_item_version', with: { id: notebook, version: 2 } }], after: ['list'] },
    ],
    forbids: [{ tool: 'restore_item_version', with: { version: 1 } }, { tool: 'delete_items' }],
    limits: { calls: 7, tokens: 7000, reads: 4 },
  },
  {
    id: 'somebody-wrote-meanwhile',
    says: ['Give the free place of the Wednesday class in my workshop notebook to Oskar.'],
    start,
    meanwhile: {
      after: { tool: ['read_items', 'get_item_content', 'fetch'], with: /book:notebook/ },
      edit: { book: 'notebook', page: 4, replace: ['The fee is 22', 'The fee is 26'] },
    },
    expects: [
      { step: 'read', any: readsNotebook },
      {
        step: 'conflict',
        any: [
          {
            tool: ['put_item_page', 'put_item_content'],
            with: { id: notebook, expectedVersion: 1 },
            refused: /VERSION_CONFLICT/,
          },
        ],
        after: ['read'],
      },
      { step: 'read again', any: readsNotebook, after: ['conflict'] },
      {
        step: 'write',
        any: [
          {
            tool: ['put_item_page', 'put_item_content'],
            with: { id: notebook, content: /Coralie,? and Oskar[\s\S]*The fee is 26/, expectedVersion: 2 },
          },
        ],
        after: ['read again'],
      },
    ],
    forbids: [{ tool: ['put_item_page', 'put_item_content'], with: { content: /The fee is 22/, expectedVersion: 2 } }],
    answers: [{ matches: /Oskar/ }],
    limits: { calls: 8, tokens: 8000, reads: 4 },
  },
]
