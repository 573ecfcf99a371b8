import { destroys, idOf, looksAround, rewrites } from '../call-patterns.ts'
import type { Task } from '../task.ts'

/** What is known of books, their files, and what must be asked before a book goes. */
export const organising: Task[] = [
  {
    id: 'ask-before-a-book-goes',
    says: ['I do not need the recipes any more.', 'Yes, delete it for good.'],
    start: { books: ['bees', 'recipes', 'soap'] },
    expects: [
      { step: 'look', any: looksAround },
      {
        step: 'delete',
        any: [{ tool: 'delete_items', with: { ids: [idOf('book', 'recipes')] }, turn: 1 }],
        after: ['look'],
      },
    ],
    forbids: [
      { tool: 'delete_items', turn: 0 },
      { tool: 'delete_items', with: { ids: [idOf('book', 'bees')] } },
      { tool: 'delete_items', with: { ids: [idOf('book', 'soap')] } },
    ],
    answers: [{ matches: /Neighbourhood Recipes[\s\S]*\?/, turn: 0 }, { matches: /deleted|gone|removed/i }],
    limits: { calls: 6, tokens: 6000, reads: 0 },
  },
  {
    id: 'the-user-says-no',
    says: [
      'I think I could delete the soap course.',
      'No, wait, I will keep it. On which page does it speak about curing?',
    ],
    start: { books: ['bees', 'recipes', 'soap'] },
    expects: [{ step: 'look', any: [...looksAround, { tool: 'get_table_of_contents' }] }],
    forbids: destroys,
    answers: [{ matches: /\?/, turn: 0 }, { matches: /\b(?:p\.|page) 4\b/ }],
    limits: { calls: 6, tokens: 6000, reads: 1 },
  },
  {
    id: 'describe-a-book',
    says: [
      'My workshop notebook has no outline worth the name. Give it the author Ada Lovell-Brandt, the description “Kiln, glazes, classes.”, and these chapters: Making on page 1, Selling on page 3.',
    ],
    start: { books: ['notebook', 'bees'] },
    expects: [
      {
        step: 'describe',
        any: [
          {
            tool: 'enrich_item',
            with: {
              itemId: idOf('book', 'notebook'),
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
    forbids: rewrites,
    limits: { calls: 5, tokens: 5000, reads: 1 },
  },
  {
    id: 'chapter-behind-the-end',
    says: [
      'Give the soap course this outline: Basics from page 1, Doing it from page 3, Waiting on its last page, which is 7 or so.',
    ],
    start: { books: ['soap', 'bees'] },
    expects: [
      {
        step: 'outline',
        any: [
          {
            tool: 'enrich_item',
            with: {
              itemId: idOf('book', 'soap'),
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
    forbids: rewrites,
    answers: [{ matches: /\b(?:4|four)\b/i }],
    limits: { calls: 6, tokens: 6000, reads: 2 },
  },
  {
    id: 'to-be-described-later',
    says: ['The details of my knots book are a mess. I have no time now: put it into the queue for later.'],
    start: { books: ['knots', 'soap'] },
    expects: [{ step: 'queue', any: [{ tool: 'flag_item', with: { itemId: idOf('book', 'knots') } }] }],
    forbids: [{ tool: 'enrich_item' }, { tool: 'flag_item', with: { itemId: idOf('book', 'soap') } }],
    limits: { calls: 4, tokens: 4000, reads: 0 },
  },
  {
    id: 'read-the-file-anew',
    says: ['Parts of my whale PDF seem to be missing. Have its file read once more.'],
    start: { books: ['soap'], pdf: true },
    expects: [{ step: 'again', any: [{ tool: 'reprocess_item', with: { itemId: idOf('book', 'whales') } }] }],
    forbids: [...destroys, { tool: 'reprocess_item', atMost: 1 }],
    limits: { calls: 5, tokens: 4000, reads: 1 },
  },
  {
    id: 'nothing-to-read-anew',
    says: ['Have the original file of my soap course read once more.'],
    start: { books: ['soap', 'bees'] },
    expects: [
      {
        step: 'refused',
        any: [{ tool: 'reprocess_item', with: { itemId: idOf('book', 'soap') }, refused: /no original file/i }],
      },
    ],
    forbids: [...destroys, ...rewrites, { tool: 'reprocess_item', atMost: 1 }],
    answers: [{ matches: /no (?:original )?file|not? .*file/i }],
    limits: { calls: 5, tokens: 4000, reads: 1 },
  },
]
