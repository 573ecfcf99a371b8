import { placeholderOf, opensPages } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const notebook = placeholderOf('book', 'notebook')
const opensNotebook = opensPages('notebook')
const initialState = { books: ['bees', 'notebook'] } as const

/** Tasks about texts that change during the task, and about earlier versions. */
export const versions: Task[] = [
  {
    id: 'earlier-versions',
    userTurns: ['How often has my workshop notebook been changed since it was made, and which versions are kept?'],
    initialState: {
      books: ['notebook'],
      edits: [
        { book: 'notebook', page: 4, replace: ['The fee is 22', 'The fee is 23'] },
        { book: 'notebook', page: 2, replace: ['40 parts feldspar', '45 parts feldspar'] },
      ],
    },
    expectedSteps: [{ name: 'list', anyOf: [{ tool: 'list_item_versions', arguments: { id: notebook } }] }],
    answerPatterns: [{ matches: /\b(?:2|two|twice)\b/i }],
    limits: { calls: 4, tokens: 4000, reads: 2 },
  },
  {
    id: 'bring-back',
    userTurns: [
      'I overwrote my celadon recipe with 45 parts of feldspar. Bring the notebook back to how it was right before that, but keep the new fee.',
    ],
    initialState: {
      books: ['notebook'],
      edits: [
        { book: 'notebook', page: 4, replace: ['The fee is 22', 'The fee is 23'] },
        { book: 'notebook', page: 2, replace: ['40 parts feldspar', '45 parts feldspar'] },
      ],
    },
    expectedSteps: [
      { name: 'list', anyOf: [{ tool: 'list_item_versions', arguments: { id: notebook } }] },
      {
        name: 'restore',
        anyOf: [{ tool: 'restore_item_version', arguments: { id: notebook, version: 2 } }],
        after: ['list'],
      },
    ],
    forbiddenCalls: [{ tool: 'restore_item_version', arguments: { version: 1 } }, { tool: 'delete_items' }],
    limits: { calls: 7, tokens: 7000, reads: 4 },
  },
  {
    id: 'remove-a-version',
    userTurns: [
      'An earlier version of my workshop notebook, the first one, gives a fee that nobody should see any more. Remove that version for good; I am sure.',
    ],
    initialState: {
      books: ['notebook'],
      edits: [
        { book: 'notebook', page: 4, replace: ['The fee is 22', 'The fee is 23'] },
        { book: 'notebook', page: 2, replace: ['40 parts feldspar', '45 parts feldspar'] },
      ],
    },
    expectedSteps: [
      {
        name: 'remove',
        anyOf: [{ tool: 'purge_item_version', arguments: { itemId: notebook, version: 1, confirm: true } }],
      },
    ],
    forbiddenCalls: [
      { tool: 'purge_item_version', arguments: { version: 2 } },
      { tool: ['delete_items', 'put_item_content', 'restore_item_version'] },
    ],
    limits: { calls: 6, tokens: 6000, reads: 3 },
  },
  {
    id: 'somebody-wrote-meanwhile',
    userTurns: ['Give the free place of the Wednesday class in my workshop notebook to Oskar.'],
    initialState,
    concurrentEdit: {
      after: { tool: ['read_items', 'get_item_content', 'fetch'], arguments: /book:notebook/ },
      edit: { book: 'notebook', page: 4, replace: ['The fee is 22', 'The fee is 26'] },
    },
    expectedSteps: [
      { name: 'read', anyOf: opensNotebook },
      {
        name: 'conflict',
        anyOf: [
          {
            tool: ['put_item_page', 'put_item_content'],
            arguments: { id: notebook, expectedVersion: 1 },
            refusalText: /VERSION_CONFLICT/,
          },
        ],
        after: ['read'],
      },
      { name: 'read again', anyOf: opensNotebook, after: ['conflict'] },
      {
        name: 'write',
        anyOf: [
          {
            tool: ['put_item_page', 'put_item_content'],
            arguments: { id: notebook, content: /Coralie,? and Oskar[\s\S]*The fee is 26/, expectedVersion: 2 },
          },
        ],
        after: ['read again'],
      },
    ],
    forbiddenCalls: [
      { tool: ['put_item_page', 'put_item_content'], arguments: { content: /The fee is 22/, expectedVersion: 2 } },
    ],
    answerPatterns: [{ matches: /Oskar/ }],
    limits: { calls: 8, tokens: 8000, reads: 4 },
  },
]
