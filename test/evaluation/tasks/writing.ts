import { destructiveCalls, placeholderOf, opensPages } from '../call-patterns.ts'
import type { CallPattern, Task } from '../task.ts'

const notebook = placeholderOf('book', 'notebook')
const initialState = { books: ['bees', 'notebook'] } as const
const opensNotebook = opensPages('notebook')
const replacesPage4 = (content: RegExp, expectedVersion: number): CallPattern[] => [
  { tool: 'put_item_page', arguments: { id: notebook, pageNum: 4, content, expectedVersion } },
  { tool: 'put_item_content', arguments: { id: notebook, content, expectedVersion } },
]

/** Tasks about writing and changing books. */
export const writing: Task[] = [
  {
    id: 'new-book',
    userTurns: [
      'Start a book for me called “Bread Diary”, with two pages. The first is headed “Monday” and says “Rye, 70 percent, too wet.” The second is headed “Tuesday” and says “Wheat, 65 percent, good.”',
    ],
    initialState,
    expectedSteps: [
      {
        name: 'make',
        anyOf: [
          {
            tool: 'create_markdown_item',
            arguments: {
              title: 'Bread Diary',
              content: /^# Monday\s+Rye, 70 percent, too wet\.\s+# Tuesday\s+Wheat, 65 percent, good\.\s*$/,
            },
          },
        ],
      },
    ],
    forbiddenCalls: [{ tool: 'create_markdown_item', atMost: 1 }],
    answerPatterns: [{ matches: /Bread Diary/ }, { matches: /\b(?:2|two)\b/i }],
    limits: { calls: 3, tokens: 3000, reads: 0 },
  },
  {
    id: 'page-at-the-end',
    userTurns: ['Put a page “Orders” at the end of my workshop notebook: “Twelve bowls for the Lindqvists by 1 May.”'],
    initialState,
    expectedSteps: [
      {
        name: 'append',
        anyOf: [
          {
            tool: 'append_item_pages',
            arguments: { id: notebook, content: /^# Orders\s+Twelve bowls for the Lindqvists by 1 May\./ },
          },
        ],
      },
    ],
    forbiddenCalls: [{ tool: 'append_item_pages', arguments: { position: 'start' } }, { tool: 'put_item_content' }],
    answerPatterns: [{ matches: /\b(?:5|five|fifth)\b/i }],
    limits: { calls: 5, tokens: 6000, reads: 1 },
  },
  {
    id: 'page-at-the-front',
    userTurns: [
      'My workshop notebook needs a first page, before the kiln log: “Read me”, saying “Ring Ada before you fire.”',
    ],
    initialState,
    expectedSteps: [
      {
        name: 'prepend',
        anyOf: [
          {
            tool: 'append_item_pages',
            arguments: { id: notebook, position: 'start', content: /^# Read me\s+Ring Ada before you fire\./ },
          },
        ],
      },
    ],
    limits: { calls: 5, tokens: 6000, reads: 1 },
  },
  {
    id: 'correct-a-page',
    userTurns: [
      'The fee of the Wednesday class is 24 now. Correct that in my workshop notebook and leave everything else as it is.',
    ],
    initialState,
    expectedSteps: [
      { name: 'read', anyOf: opensNotebook },
      {
        name: 'write',
        anyOf: replacesPage4(
          /The Wednesday class has eight places: Ines, Piotr, [\s\S]*The fee is 24 for an evening, clay included\./,
          1,
        ),
        after: ['read'],
      },
    ],
    forbiddenCalls: [{ tool: 'append_item_pages' }, { tool: 'create_markdown_item' }, ...destructiveCalls],
    limits: { calls: 6, tokens: 6000, reads: 3 },
  },
  {
    id: 'page-that-is-not-there',
    userTurns: [
      'Replace page 9 of my workshop notebook by a page “Insurance” that says “Policy 4471, renewed in June.” Whatever number it gets, it has to be in there.',
    ],
    initialState,
    expectedSteps: [
      {
        name: 'write',
        anyOf: [
          {
            tool: 'append_item_pages',
            arguments: { id: notebook, content: /^# Insurance\s+Policy 4471, renewed in June\./ },
          },
        ],
      },
    ],
    forbiddenCalls: [{ tool: 'put_item_page', arguments: { pageNum: (page) => typeof page === 'number' && page < 9 } }],
    answerPatterns: [{ matches: /\b(?:5|fifth|five)\b/i }],
    limits: { calls: 6, tokens: 6000, reads: 2 },
  },
  {
    id: 'one-page-becomes-two',
    userTurns: [
      'Split the glaze page of my workshop notebook in two: “Ash celadon” and “Iron black”, each with its recipe. Nothing else changes.',
    ],
    initialState,
    expectedSteps: [
      { name: 'read', anyOf: opensNotebook },
      {
        name: 'write',
        anyOf: [
          {
            tool: 'put_item_content',
            arguments: {
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
    forbiddenCalls: [...destructiveCalls, { tool: 'create_markdown_item' }],
    limits: { calls: 7, tokens: 8000, reads: 3 },
  },
  {
    id: 'not-editable',
    userTurns: ['Correct the whale PDF: on the first page it should say “speaks of seals” in place of whales.'],
    initialState: { pdf: true },
    expectedSteps: [
      {
        name: 'refused',
        anyOf: [
          {
            tool: ['put_item_page', 'put_item_content', 'append_item_pages'],
            arguments: { id: placeholderOf('book', 'whales') },
            refusalText: /ITEM_NOT_EDITABLE/,
          },
        ],
      },
    ],
    forbiddenCalls: [...destructiveCalls, { tool: 'reprocess_item' }],
    answerPatterns: [{ matches: /PDF|not editable|can(?:not|'t|’t)/i }, { matches: /Markdown|copy|new book/i }],
    limits: { calls: 6, tokens: 5000, reads: 2 },
  },
  {
    id: 'collect-from-two-books',
    userTurns: [
      'Write me a one-page book “Ladders and Lids” with the heaviest load that the derrick of the lighthouse lifts and the weight of an empty Orla hive, each with its source in brackets.',
    ],
    initialState: { books: ['keeper', 'bees'] },
    expectedSteps: [
      { name: 'derrick', anyOf: opensPages('keeper', 4) },
      { name: 'hive', anyOf: opensPages('bees', 5) },
      {
        name: 'make',
        anyOf: [
          {
            tool: 'create_markdown_item',
            arguments: {
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
