import { destructiveCalls, placeholderOf, discoversBooks, rewritingCalls } from '../call-patterns.ts'
import type { Task } from '../task.ts'

/** Tasks about the metadata of books, their files, and the questions to ask before a book is deleted. */
export const organising: Task[] = [
  {
    id: 'ask-before-a-book-goes',
    userTurns: ['I do not need the recipes any more.', 'Yes, delete it for good.'],
    initialState: { books: ['bees', 'recipes', 'soap'] },
    expectedSteps: [
      { name: 'look', anyOf: discoversBooks },
      {
        name: 'delete',
        anyOf: [{ tool: 'delete_items', arguments: { ids: [placeholderOf('book', 'recipes')] }, turn: 1 }],
        after: ['look'],
      },
    ],
    forbiddenCalls: [
      { tool: 'delete_items', turn: 0 },
      { tool: 'delete_items', arguments: { ids: [placeholderOf('book', 'bees')] } },
      { tool: 'delete_items', arguments: { ids: [placeholderOf('book', 'soap')] } },
    ],
    answerPatterns: [{ matches: /Neighbourhood Recipes[\s\S]*\?/, turn: 0 }, { matches: /deleted|gone|removed/i }],
    limits: { calls: 6, tokens: 6000, reads: 0 },
  },
  {
    id: 'deleted-by-mistake',
    userTurns: [
      'Delete the recipes, I do not need them any more. I am sure.',
      'That was a mistake, I still want to cook from them. Bring the recipes back.',
    ],
    initialState: { books: ['bees', 'recipes', 'soap'] },
    expectedSteps: [
      {
        name: 'delete',
        anyOf: [{ tool: 'delete_items', arguments: { ids: [placeholderOf('book', 'recipes')] }, turn: 0 }],
      },
      {
        name: 'bring back',
        anyOf: [{ tool: 'undelete_item', arguments: { itemId: placeholderOf('book', 'recipes') }, turn: 1 }],
        after: ['delete'],
      },
    ],
    forbiddenCalls: [{ tool: ['create_markdown_item', 'put_item_content'] }],
    answerPatterns: [{ matches: /back|restored|again/i, turn: 1 }],
    limits: { calls: 6, tokens: 6000, reads: 0 },
  },
  {
    id: 'the-user-says-no',
    userTurns: [
      'I think I could delete the soap course.',
      'No, wait, I will keep it. On which page does it speak about curing?',
    ],
    initialState: { books: ['bees', 'recipes', 'soap'] },
    expectedSteps: [{ name: 'look', anyOf: [...discoversBooks, { tool: 'get_table_of_contents' }] }],
    forbiddenCalls: destructiveCalls,
    answerPatterns: [{ matches: /\?/, turn: 0 }, { matches: /\b(?:p\.|page) 4\b/ }],
    limits: { calls: 6, tokens: 6000, reads: 1 },
  },
  {
    id: 'describe-a-book',
    userTurns: [
      'My workshop notebook has no outline worth the name. Give it the author Ada Lovell-Brandt, the description “Kiln, glazes, classes.”, and these chapters: Making on page 1, Selling on page 3.',
    ],
    initialState: { books: ['notebook', 'bees'] },
    expectedSteps: [
      {
        name: 'describe',
        anyOf: [
          {
            tool: 'enrich_item',
            arguments: {
              itemId: placeholderOf('book', 'notebook'),
              author: 'Ada Lovell-Brandt',
              description: 'Kiln, glazes, classes.',
              toc: [
                { title: 'Making', page: 1 },
                { title: 'Selling', page: 3 },
              ],
            },
          },
        ],
      },
    ],
    forbiddenCalls: rewritingCalls,
    limits: { calls: 5, tokens: 5000, reads: 1 },
  },
  {
    id: 'chapter-behind-the-end',
    userTurns: [
      'Give the soap course this outline: Basics from page 1, Doing it from page 3, Waiting on its last page, which is 7 or so.',
    ],
    initialState: { books: ['soap', 'bees'] },
    expectedSteps: [
      {
        name: 'outline',
        anyOf: [
          {
            tool: 'enrich_item',
            arguments: {
              itemId: placeholderOf('book', 'soap'),
              toc: [
                { title: 'Basics', page: 1 },
                { title: 'Doing it', page: 3 },
                { title: 'Waiting', page: 4 },
              ],
            },
          },
        ],
      },
    ],
    forbiddenCalls: rewritingCalls,
    answerPatterns: [{ matches: /\b(?:4|four)\b/i }],
    limits: { calls: 6, tokens: 6000, reads: 2 },
  },
  {
    id: 'to-be-described-later',
    userTurns: ['The details of my knots book are a mess. I have no time now: put it into the queue for later.'],
    initialState: { books: ['knots', 'soap'] },
    expectedSteps: [
      { name: 'queue', anyOf: [{ tool: 'flag_item', arguments: { itemId: placeholderOf('book', 'knots') } }] },
    ],
    forbiddenCalls: [
      { tool: 'enrich_item' },
      { tool: 'flag_item', arguments: { itemId: placeholderOf('book', 'soap') } },
    ],
    limits: { calls: 4, tokens: 4000, reads: 0 },
  },
  {
    id: 'read-the-file-anew',
    userTurns: ['Parts of my whale PDF seem to be missing. Have its file read once more.'],
    initialState: { books: ['soap'], pdf: true },
    expectedSteps: [
      { name: 'again', anyOf: [{ tool: 'reprocess_item', arguments: { itemId: placeholderOf('book', 'whales') } }] },
    ],
    forbiddenCalls: [...destructiveCalls, { tool: 'reprocess_item', atMost: 1 }],
    limits: { calls: 5, tokens: 4000, reads: 1 },
  },
  {
    id: 'nothing-to-read-anew',
    userTurns: ['Have the original file of my soap course read once more.'],
    initialState: { books: ['soap', 'bees'] },
    expectedSteps: [
      {
        name: 'refused',
        anyOf: [
          {
            tool: 'reprocess_item',
            arguments: { itemId: placeholderOf('book', 'soap') },
            refusalText: /no original file/i,
          },
        ],
      },
    ],
    forbiddenCalls: [...destructiveCalls, ...rewritingCalls, { tool: 'reprocess_item', atMost: 1 }],
    answerPatterns: [{ matches: /no (?:original )?file|not? .*file/i }],
    limits: { calls: 5, tokens: 4000, reads: 1 },
  },
]
