import { idOf, looksFor, opens } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const books = ['keeper', 'tarn', 'canal', 'bees'] as const

/** Questions that the library does not answer, and what its readers missed. */
export const missing: Task[] = [
  {
    id: 'nothing-relevant',
    says: [
      'My daughter Lena wrecked the gearbox of her Vespa outside the clinic. What do my books say about taking such a gearbox apart?',
    ],
    start: { books },
    expects: [
      { step: 'look', any: looksFor(/gearbox|scooter|vespa|motor/i) },
      {
        step: 'report',
        any: [{ tool: 'report_gap', with: { subcategory: /gear|scooter|vespa/i } }],
        after: ['look'],
      },
    ],
    forbids: [{ tool: 'report_gap', with: /Lena|daughter|clinic/ }, { tool: 'subscribe_marketplace' }],
    answers: [{ matches: /\b(?:nothing|no book|none|not|don't|doesn't)\b/i }],
    never: [/p\. \d/],
    limits: { calls: 6, tokens: 8000, reads: 2 },
  },
  {
    id: 'no-answer-in-the-book',
    says: ['Does the bee book say anything about bumblebees? If it does not, let its author know that it is missed.'],
    start: { books: ['keeper'], market: [{ book: 'bees', category: 'science', added: true }] },
    expects: [
      { step: 'look', any: [...looksFor(/bumble/i), { tool: 'get_table_of_contents' }] },
      {
        step: 'report',
        any: [{ tool: 'report_gap', with: { aboutItemId: idOf('book', 'bees'), subcategory: /bumble/i } }],
        after: ['look'],
      },
    ],
    answers: [{ matches: /bumble/i }, { matches: /\b(?:no|not|nothing|doesn't)\b/i }],
    limits: { calls: 6, tokens: 8000, reads: 2 },
  },
  {
    id: 'suggest-to-the-keepers',
    says: [
      'Could those who run this library get “Scooters Taken Apart” by Paolo Ricci? I would use it to repair gearboxes. Please pass that on.',
      'I forget: did I ask for that one before? Ask again if you are not sure.',
    ],
    start: { books },
    expects: [
      {
        step: 'suggest',
        any: [{ tool: 'suggest_book', with: { title: /Scooters Taken Apart/, author: /Ricci/ }, turn: 0 }],
      },
    ],
    answers: [{ matches: /passed|suggest|sent|asked/i, turn: 0 }, { matches: /already|before|yes/i }],
    limits: { calls: 5, tokens: 5000, reads: 0 },
  },
  {
    id: 'what-readers-miss',
    says: ['Which of my own books do readers miss something in, and what is it that most of them want?'],
    start: {
      books: ['bees', 'tarn'],
      gaps: [
        { book: 'tarn', topic: 'Kubernetes', intent: 'How is Tarn run on Kubernetes?', readers: 3 },
        { book: 'tarn', topic: 'Windows service', intent: 'Can it run as a Windows service?', readers: 1 },
      ],
    },
    expects: [{ step: 'list', any: [{ tool: 'list_book_gaps' }] }],
    answers: [{ matches: /Operating Tarn/ }, { matches: /Kubernetes/ }, { matches: /\b(?:3|three)\b/i }],
    limits: { calls: 5, tokens: 6000, reads: 0 },
  },
  {
    id: 'answer-a-request',
    says: [
      'Readers of my soap book ask about hard water. Add a page on it at the end: the heading is “Hard water”, the text “Hard water makes a scum; add 2 percent of sodium citrate to the lye.” Then tell everybody who asked that it is there.',
    ],
    start: {
      books: ['soap'],
      gaps: [{ book: 'soap', topic: 'Hard water', intent: 'Which additive helps against hard water?', readers: 2 }],
    },
    expects: [
      {
        step: 'write',
        any: [
          {
            tool: 'append_item_pages',
            with: { id: idOf('book', 'soap'), content: /^# Hard water\n[\s\S]*sodium citrate/ },
          },
        ],
      },
      {
        step: 'answer',
        any: [
          { tool: 'resolve_book_gap', with: { itemId: idOf('book', 'soap'), subcategory: /hard water/i } },
          { tool: 'resolve_book_gap', with: { itemId: idOf('book', 'soap'), gapIds: [/^\{\{new:/] } },
        ],
        after: ['write'],
      },
    ],
    answers: [{ matches: /\b(?:2|two)\b/i }],
    limits: { calls: 7, tokens: 8000, reads: 2 },
  },
  {
    id: 'open-a-request-again',
    says: [
      'I dismissed a request about frost in my soap book by mistake. Open it again, and tell me what the reader had asked.',
    ],
    start: {
      books: ['soap'],
      gaps: [
        {
          book: 'soap',
          topic: 'Frost',
          intent: 'Does lye solution freeze in an unheated shed?',
          readers: 1,
          dismissed: true,
        },
      ],
    },
    expects: [
      { step: 'find', any: [{ tool: 'list_book_gaps', with: { itemId: idOf('book', 'soap'), status: 'DISMISSED' } }] },
      { step: 'open', any: [{ tool: 'restore_book_gap', with: { itemId: idOf('book', 'soap') } }], after: ['find'] },
    ],
    forbids: [{ tool: 'resolve_book_gap' }],
    answers: [{ matches: /freeze/i }],
    limits: { calls: 6, tokens: 6000, reads: 0 },
  },
  {
    id: 'only-half-answered',
    says: ['How heavy is the lens at Skerry Vane, and who paid for it?'],
    start: { books },
    expects: [{ step: 'read', any: opens('keeper', 7) }],
    claims: [{ says: [/2\.4 tonnes/], from: [{ book: 'keeper', page: 7, quote: 'It weighs 2.4 tonnes' }] }],
    answers: [
      {
        matches:
          /(?:not|nothing|no word|does not|doesn't)[^.]*(?:paid|pay|cost|money)|(?:paid|pay)[^.]*(?:not|nothing|no )/i,
      },
    ],
    limits: { calls: 8, tokens: 10_000, reads: 3 },
  },
]
