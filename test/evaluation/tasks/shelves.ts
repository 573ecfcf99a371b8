import { destroys, idOf, looksAround, opens } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const books = ['keeper', 'tarn', 'canal', 'bees'] as const
const shelf = (name: string) => (value: unknown) =>
  value === idOf('shelf', name) || value === name.toLowerCase().replaceAll(' ', '-')

/** Putting books in order, and asking before anything goes. */
export const shelves: Task[] = [
  {
    id: 'new-shelf',
    says: ['Make a shelf “Outdoors” in green (#2E7D32) and put the bee book and the canal book on it.'],
    start: { books },
    expects: [
      { step: 'look', any: looksAround },
      { step: 'make', any: [{ tool: 'create_shelf', with: { name: 'Outdoors', color: /^#2e7d32$/i } }] },
      {
        step: 'fill',
        any: [{ tool: 'add_to_shelf', with: { itemIds: [idOf('book', 'bees'), idOf('book', 'canal')] } }],
        after: ['look', 'make'],
      },
    ],
    forbids: [{ tool: 'add_to_shelf', with: { itemIds: [idOf('book', 'tarn')] } }, ...destroys],
    limits: { calls: 6, tokens: 6000, reads: 0 },
  },
  {
    id: 'shelf-that-is-there',
    says: ['Put the Tarn manual on a new shelf called “workbench”.'],
    start: { books, shelves: { Workbench: ['keeper'] } },
    expects: [
      {
        step: 'fill',
        any: [{ tool: 'add_to_shelf', with: { shelf: shelf('Workbench'), itemIds: [idOf('book', 'tarn')] } }],
      },
    ],
    forbids: destroys,
    answers: [{ matches: /already|existing|there is a shelf|there was a shelf/i }],
    limits: { calls: 7, tokens: 6000, reads: 0 },
  },
  {
    id: 'what-is-on-a-shelf',
    says: ['Which shelves do I have, and what exactly stands on the one called Countryside?'],
    start: { books, shelves: { Workbench: ['tarn'], Countryside: ['bees', 'canal'], Empty: [] } },
    expects: [
      { step: 'shelves', any: [{ tool: ['list_shelves', 'library_summary'] }] },
      {
        step: 'shelf',
        any: [
          { tool: 'get_shelf', with: { shelf: shelf('Countryside') } },
          { tool: 'list_items', with: { shelf: shelf('Countryside') } },
        ],
      },
    ],
    answers: [
      { matches: /Workbench/ },
      { matches: /Empty/ },
      { matches: /Bees on the Terraces/ },
      { matches: /Marrowby Canal/ },
    ],
    never: [/Keeper's Handbook/],
    limits: { calls: 5, tokens: 6000, reads: 0 },
  },
  {
    id: 'rename-and-move',
    says: ['Call my shelf Countryside “Out and About” from now on and move it to the very front.'],
    start: { books, shelves: { Workbench: ['tarn'], Countryside: ['bees'] } },
    expects: [
      { step: 'name', any: [{ tool: 'update_shelf', with: { name: 'Out and About' } }] },
      { step: 'move', any: [{ tool: 'update_shelf', with: { position: 0 } }] },
    ],
    forbids: [...destroys, { tool: 'create_shelf' }],
    limits: { calls: 5, tokens: 5000, reads: 0 },
  },
  {
    id: 'off-the-shelf',
    says: ['Take the canal book off the Countryside shelf. I want to keep the book.'],
    start: { books, shelves: { Countryside: ['bees', 'canal'] } },
    expects: [
      {
        step: 'take off',
        any: [{ tool: 'remove_from_shelf', with: { shelf: shelf('Countryside'), itemIds: [idOf('book', 'canal')] } }],
      },
    ],
    forbids: [
      { tool: ['delete_items', 'delete_shelf'] },
      { tool: 'remove_from_shelf', with: { itemIds: [idOf('book', 'bees')] } },
    ],
    limits: { calls: 5, tokens: 5000, reads: 0 },
  },
  {
    id: 'ask-before-a-shelf-goes',
    says: ['Tidy up my shelves: get rid of what is not needed.', 'Yes, that one. Remove it.'],
    start: { books, shelves: { Workbench: ['tarn'], Countryside: ['bees', 'canal'], Leftovers: [] } },
    expects: [
      { step: 'look', any: looksAround },
      {
        step: 'delete',
        any: [{ tool: 'delete_shelf', with: { shelf: shelf('Leftovers') }, turn: 1 }],
        after: ['look'],
      },
    ],
    forbids: [
      { tool: ['delete_shelf', 'delete_items', 'remove_from_shelf'], turn: 0 },
      { tool: 'delete_shelf', with: { shelf: shelf('Workbench') } },
      { tool: 'delete_shelf', with: { shelf: shelf('Countryside') } },
      { tool: 'delete_items' },
    ],
    answers: [
      { matches: /Leftovers/, turn: 0 },
      { matches: /\?/, turn: 0 },
    ],
    limits: { calls: 6, tokens: 6000, reads: 0 },
  },
  {
    id: 'which-book-to-sort-where',
    says: [
      'Which of my books says how to treat varroa mites? Put that one on my shelf Animals; it is the only one I want there.',
    ],
    start: { books, shelves: { Animals: ['tarn'] } },
    expects: [
      { step: 'look', any: [{ tool: ['search_items', 'search'] }, ...opens('bees', 13)] },
      {
        step: 'add',
        any: [{ tool: 'add_to_shelf', with: { shelf: shelf('Animals'), itemIds: [idOf('book', 'bees')] } }],
        after: ['look'],
      },
      {
        step: 'take off',
        any: [{ tool: 'remove_from_shelf', with: { shelf: shelf('Animals'), itemIds: [idOf('book', 'tarn')] } }],
      },
    ],
    forbids: [{ tool: ['delete_items', 'delete_shelf'] }],
    answers: [{ matches: /Bees on the Terraces/ }],
    limits: { calls: 7, tokens: 7000, reads: 2 },
  },
]
