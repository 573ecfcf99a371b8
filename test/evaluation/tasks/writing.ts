import { destroys, idOf, opens } from '../call-patterns.ts'
import type { CallPattern, Task } from '../task.ts'

const notebook = idOf('book', 'notebook')
const start = { books: ['bees', 'notebook'] } as const
const readsNotebook = opens('notebook')
const replacesPage4 = (content: RegExp, expectedVersion: number): CallPattern[] => [
  { tool: 'put_item_page', with: { id: notebook, pageNum: 4, content, expectedVersion } },
  { tool: 'put_item_content', with: { id: notebook, content, expectedVersion } },
]

/** Making and changing books. */
export const writing: Task[] = [
  {
    id: 'new-book',
    says: [
      'Start a book for me called “Bread Diary”, with two pages. The first is headed “Monday” and says “Rye, 70 percent, too wet.” The second is headed “Tuesday” and says “Wheat, 65 percent, good.”',
    ],
    start,
    expects: [
      {
        step: 'make',
        any: [
          {
            tool: 'create_markdown_item',
            with: {
              title: 'Bread Diary',
              content: /^# Monday\s+Rye, 70 percent, too wet\.\s+# Tuesday\s+Wheat, 65 percent, good\.\s*$/,
            },
          },
        ],
      },
    ],
    forbids: [{ tool: 'create_markdown_item', atMost: 1 }],
    answers: [{ matches: /Bread Diary/ }, { matches: /\b(?:2|two)\b/i }],
    limits: { calls: 3, tokens: 3000, reads: 0 },
  },
  {
    id: 'page-at-the-end',
    says: ['Put a page “Orders” at the end of my workshop notebook: “Twelve bowls for the Lindqvists by 1 May.”'],
    start,
    expects: [
      {
        step: 'append',
        any: [
          {
            tool: 'append_item_pages',
            with: { id: notebook, content: /^# Orders\s+Twelve bowls for the Lindqvists by 1 May\./ },
          },
        ],
      },
    ],
    forbids: [{ tool: 'append_item_pages', with: { position: 'start' } }, { tool: 'put_item_content' }],
    answers: [{ matches: /\b(?:5|five|fifth)\b/i }],
    limits: { calls: 5, tokens: 6000, reads: 1 },
  },
  {
    id: 'page-at-the-front',
    says: [
      'My workshop notebook needs a first page, before the kiln log: “Read me”, saying “Ring Ada before you fire.”',
    ],
    start,
    expects: [
      {
        step: 'prepend',
        any: [
          {
            tool: 'append_item_pages',
            with: { id: notebook, position: 'start', content: /^# Read me\s+Ring Ada before you fire\./ },
          },
        ],
      },
    ],
    limits: { calls: 5, tokens: 6000, reads: 1 },
  },
  {
    id: 'correct-a-page',
    says: [
      'The fee of the Wednesday class is 24 now. Correct that in my workshop notebook and leave everything else as it is.',
    ],
    start,
    expects: [
      { step: 'read', any: readsNotebook },
      {
        step: 'write',
        any: replacesPage4(
          /The Wednesday class has eight places: Ines, Piotr, [\s\S]*The fee is 24 for an evening, clay included\./,
          1,
        ),
        after: ['read'],
      },
    ],
    forbids: [{ tool: 'append_item_pages' }, { tool: 'create_markdown_item' }, ...destroys],
    limits: { calls: 6, tokens: 6000, reads: 3 },
  },
  {
    id: 'page-that-is-not-there',
    says: [
      'Replace page 9 of my workshop notebook by a page “Insurance” that says “Policy 4471, renewed in June.” Whatever number it gets, it has to be in there.',
    ],
    start,
    expects: [
      {
        step: 'write',
        any: [
          {
            tool: 'append_item_pages',
            with: { id: notebook, content: /^# Insurance\s+Policy 4471, renewed in June\./ },
          },
        ],
      },
    ],
    forbids: [{ tool: 'put_item_page', with: { pageNum: (page) => typeof page === 'number' && page < 9 } }],
    answers: [{ matches: /\b(?:5|fifth|five)\b/i }],
    limits: { calls: 6, tokens: 6000, reads: 2 },
  },
  {
    id: 'one-page-becomes-two',
    says: [
      'Split the glaze page of my workshop notebook in two: “Ash celadon” and “Iron black”, each with its recipe. Nothing else changes.',
    ],
    start,
    expects: [
      { step: 'read', any: readsNotebook },
      {
        step: 'write',
        any: [
          {
            tool: 'put_item_content',
            with: {
              id: notebook,
              expectedVersion: 1,
              content:
                /^# Kiln log[\s\S]*# Ash celadon[\s\S]*40 parts feldspar[\s\S]*# Iron black[\s\S]*50 parts feldspar[\s\S]*# Suppliers[\s\S]*# Class list[\s\S]*Coralie/,
            },
          },
        ],
        after: ['read'],
      },
    ],
    forbids: [...destroys, { tool: 'create_markdown_item' }],
    limits: { calls: 7, tokens: 8000, reads: 3 },
  },
  {
    id: 'not-editable',
    says: ['Correct the whale PDF: on the first page it should say “speaks of seals” in place of whales.'],
    start: { pdf: true },
    expects: [
      {
        step: 'refused',
        any: [
          {
            tool: ['put_item_page', 'put_item_content', 'append_item_pages'],
            with: { id: idOf('book', 'whales') },
            refused: /ITEM_NOT_EDITABLE/,
          },
        ],
      },
    ],
    forbids: [...destroys, { tool: 'reprocess_item' }],
    answers: [{ matches: /PDF|not editable|can(?:not|'t|’t)/i }, { matches: /Markdown|copy|new book/i }],
    limits: { calls: 6, tokens: 5000, reads: 2 },
  },
  {
    id: 'collect-from-two-books',
    says: [
      'Write me a one-page book “Ladders and Lids” with the heaviest load that the derrick of the lighthouse lifts and the weight of an empty Orla hive, each with its source in brackets.',
    ],
    start: { books: ['keeper', 'bees'] },
    expects: [
      { step: 'derrick', any: opens('keeper', 4) },
      { step: 'hive', any: opens('bees', 5) },
      {
        step: 'make',
        any: [
          {
            tool: 'create_markdown_item',
            with: {
              title: /Ladders and Lids/,
              content: /250 kilograms[\s\S]*6\.8 kilograms|6\.8 kilograms[\s\S]*250 kilograms/,
            },
          },
        ],
        after: ['derrick', 'hive'],
      },
    ],
    limits: { calls: 8, tokens: 10_000, reads: 4 },
  },
]
