import { destructiveCalls, placeholderOf, discoversBooks, opensPages } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const books = ['keeper', 'tarn', 'canal', 'bees'] as const
const matchesShelf = (name: string) => (value: unknown) =>
  value === placeholderOf('shelf', name) || value === name.toLowerCase().replaceAll(' ', '-')

/** Tasks about organising books on shelves, and confirming before anything is deleted. */
export const shelves: Task[] = [
  {
    id: 'new-shelf',
    userTurns: ['Make a shelf “Outdoors” in green (#2E7D32) and put the bee book and the canal book on it.'],
    initialState: { books },
    expectedSteps: [
      { name: 'look', anyOf: discoversBooks },
      { name: 'make', anyOf: [{ tool: 'create_shelf', arguments: { name: 'Outdoors', color: /^#2e7d32$/i } }] },
      {
        name: 'fill',
        anyOf: [
          {
            tool: 'add_to_shelf',
            arguments: { itemIds: [placeholderOf('book', 'bees'), placeholderOf('book', 'canal')] },
          },
        ],
        after: ['look', 'make'],
      },
    ],
    forbiddenCalls: [
      { tool: 'add_to_shelf', arguments: { itemIds: [placeholderOf('book', 'tarn')] } },
      ...destructiveCalls,
    ],
    limits: { calls: 6, tokens: 6000, reads: 0 },
  },
  {
    id: 'shelf-that-is-there',
    userTurns: ['Put the Tarn manual on a new shelf called “workbench”.'],
    initialState: { books, shelves: { Workbench: ['keeper'] } },
    expectedSteps: [
      {
        name: 'fill',
        anyOf: [
          {
            tool: 'add_to_shelf',
            arguments: { shelf: matchesShelf('Workbench'), itemIds: [placeholderOf('book', 'tarn')] },
          },
        ],
      },
    ],
    forbiddenCalls: destructiveCalls,
    answerPatterns: [{ matches: /already|existing|there is a shelf|there was a shelf/i }],
    limits: { calls: 7, tokens: 6000, reads: 0 },
  },
  {
    id: 'what-is-on-a-shelf',
    userTurns: ['Which shelves do I have, and what exactly stands on the one called Countryside?'],
    initialState: { books, shelves: { Workbench: ['tarn'], Countryside: ['bees', 'canal'], Empty: [] } },
    expectedSteps: [
      { name: 'shelves', anyOf: [{ tool: ['list_shelves', 'library_summary'] }] },
      {
        name: 'shelf',
        anyOf: [
          { tool: 'get_shelf', arguments: { shelf: matchesShelf('Countryside') } },
          { tool: 'list_items', arguments: { shelf: matchesShelf('Countryside') } },
        ],
      },
    ],
    answerPatterns: [
      { matches: /Workbench/ },
      { matches: /Empty/ },
      { matches: /Bees on the Terraces/ },
      { matches: /Marrowby Canal/ },
    ],
    forbiddenTexts: [/Keeper's Handbook/],
    limits: { calls: 5, tokens: 6000, reads: 0 },
  },
  {
    id: 'rename-and-move',
    userTurns: ['Call my shelf Countryside “Out and About” from now on and move it to the very front.'],
    initialState: { books, shelves: { Workbench: ['tarn'], Countryside: ['bees'] } },
    expectedSteps: [
      { name: 'name', anyOf: [{ tool: 'update_shelf', arguments: { name: 'Out and About' } }] },
      { name: 'move', anyOf: [{ tool: 'update_shelf', arguments: { position: 0 } }] },
    ],
    forbiddenCalls: [...destructiveCalls, { tool: 'create_shelf' }],
    limits: { calls: 5, tokens: 5000, reads: 0 },
  },
  {
    id: 'off-the-shelf',
    userTurns: ['Take the canal book off the Countryside shelf. I want to keep the book.'],
    initialState: { books, shelves: { Countryside: ['bees', 'canal'] } },
    expectedSteps: [
      {
        name: 'take off',
        anyOf: [
          {
            tool: 'remove_from_shelf',
            arguments: { shelf: matchesShelf('Countryside'), itemIds: [placeholderOf('book', 'canal')] },
          },
        ],
      },
    ],
    forbiddenCalls: [
      { tool: ['delete_items', 'delete_shelf'] },
      { tool: 'remove_from_shelf', arguments: { itemIds: [placeholderOf('book', 'bees')] } },
    ],
    limits: { calls: 5, tokens: 5000, reads: 0 },
  },
  {
    id: 'ask-before-a-shelf-goes',
    userTurns: ['Tidy up my shelves: get rid of what is not needed.', 'Yes, that one. Remove it.'],
    initialState: { books, shelves: { Workbench: ['tarn'], Countryside: ['bees', 'canal'], Leftovers: [] } },
    expectedSteps: [
      { name: 'look', anyOf: discoversBooks },
      {
        name: 'delete',
        anyOf: [{ tool: 'delete_shelf', arguments: { shelf: matchesShelf('Leftovers') }, turn: 1 }],
        after: ['look'],
      },
    ],
    forbiddenCalls: [
      { tool: ['delete_shelf', 'delete_items', 'remove_from_shelf'], turn: 0 },
      { tool: 'delete_shelf', arguments: { shelf: matchesShelf('Workbench') } },
      { tool: 'delete_shelf', arguments: { shelf: matchesShelf('Countryside') } },
      { tool: 'delete_items' },
    ],
    answerPatterns: [
      { matches: /Leftovers/, turn: 0 },
      { matches: /\?/, turn: 0 },
    ],
    limits: { calls: 6, tokens: 6000, reads: 0 },
  },
  {
    id: 'which-book-to-sort-where',
    userTurns: [
      'Which of my books says how to treat varroa mites? Put that one on my shelf Animals; it is the only one I want there.',
    ],
    initialState: { books, shelves: { Animals: ['tarn'] } },
    expectedSteps: [
      { name: 'look', anyOf: [{ tool: ['search_items', 'search'] }, ...opensPages('bees', 13)] },
      {
        name: 'add',
        anyOf: [
          {
            tool: 'add_to_shelf',
            arguments: { shelf: matchesShelf('Animals'), itemIds: [placeholderOf('book', 'bees')] },
          },
        ],
        after: ['look'],
      },
      {
        name: 'take off',
        anyOf: [
          {
            tool: 'remove_from_shelf',
            arguments: { shelf: matchesShelf('Animals'), itemIds: [placeholderOf('book', 'tarn')] },
          },
        ],
      },
    ],
    forbiddenCalls: [{ tool: ['delete_items', 'delete_shelf'] }],
    answerPatterns: [{ matches: /Bees on the Terraces/ }],
    limits: { calls: 7, tokens: 7000, reads: 2 },
  },
]
