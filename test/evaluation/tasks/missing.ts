import { placeholderOf, searchesFor, opensPages } from '../call-patterns.ts'
import type { Task } from '../task.ts'

const books = ['keeper', 'tarn', 'canal', 'bees'] as const

/** Tasks about questions that the library does not answer, and about reader requests. */
export const missing: Task[] = [
  {
    id: 'nothing-relevant',
    userTurns: [
      'My daughter Lena wrecked the gearbox of her Vespa outside the clinic. What do my books say about taking such a gearbox apart?',
    ],
    initialState: { books },
    expectedSteps: [
      { name: 'look', anyOf: searchesFor(/gearbox|scooter|vespa|motor/i) },
      {
        name: 'report',
        anyOf: [{ tool: 'report_gap', arguments: { subcategory: /gear|scooter|vespa/i } }],
        after: ['look'],
      },
    ],
    forbiddenCalls: [{ tool: 'report_gap', arguments: /Lena|daughter|clinic/ }, { tool: 'subscribe_marketplace' }],
    answerPatterns: [{ matches: /\b(?:nothing|no book|none|not|don't|doesn't)\b/i }],
    forbiddenTexts: [/p\. \d/],
    limits: { calls: 6, tokens: 8000, reads: 2 },
  },
  {
    id: 'no-answer-in-the-book',
    userTurns: [
      'Does the bee book say anything about bumblebees? If it does not, let its author know that it is missed.',
    ],
    initialState: { books: ['keeper'], marketOffers: [{ book: 'bees', category: 'science', added: true }] },
    expectedSteps: [
      { name: 'look', anyOf: [...searchesFor(/bumble/i), { tool: 'get_table_of_contents' }] },
      {
        name: 'report',
        anyOf: [
          { tool: 'report_gap', arguments: { aboutItemId: placeholderOf('book', 'bees'), subcategory: /bumble/i } },
        ],
        after: ['look'],
      },
    ],
    answerPatterns: [{ matches: /bumble/i }, { matches: /\b(?:no|not|nothing|doesn't)\b/i }],
    limits: { calls: 6, tokens: 8000, reads: 2 },
  },
  {
    id: 'suggest-to-the-keepers',
    userTurns: [
      'Could those who run this library get “Scooters Taken Apart” by Paolo Ricci? I would use it to repair gearboxes. Please pass that on.',
      'I forget: did I ask for that one before? Ask again if you are not sure.',
    ],
    initialState: { books },
    expectedSteps: [
      {
        name: 'suggest',
        anyOf: [{ tool: 'suggest_book', arguments: { title: /Scooters Taken Apart/, author: /Ricci/ }, turn: 0 }],
      },
    ],
    answerPatterns: [{ matches: /passed|suggest|sent|asked/i, turn: 0 }, { matches: /already|before|yes/i }],
    limits: { calls: 5, tokens: 5000, reads: 0 },
  },
  {
    id: 'what-readers-miss',
    userTurns: ['Which of my own books do readers miss something in, and what is it that most of them want?'],
    initialState: {
      books: ['bees', 'tarn'],
      gaps: [
        { book: 'tarn', topic: 'Kubernetes', intent: 'How is Tarn run on Kubernetes?', readers: 3 },
        { book: 'tarn', topic: 'Windows service', intent: 'Can it run as a Windows service?', readers: 1 },
      ],
    },
    expectedSteps: [{ name: 'list', anyOf: [{ tool: 'list_book_gaps' }] }],
    answerPatterns: [{ matches: /Operating Tarn/ }, { matches: /Kubernetes/ }, { matches: /\b(?:3|three)\b/i }],
    limits: { calls: 5, tokens: 6000, reads: 0 },
  },
  {
    id: 'answer-a-request',
    userTurns: [
      'Readers of my soap book ask about hard water. Add a page on it at the end: the heading is “Hard water”, the text “Hard water makes a scum; add 2 percent of sodium citrate to the lye.” Then tell everybody who asked that it is there.',
    ],
    initialState: {
      books: ['soap'],
      gaps: [{ book: 'soap', topic: 'Hard water', intent: 'Which additive helps against hard water?', readers: 2 }],
    },
    expectedSteps: [
      {
        name: 'write',
        anyOf: [
          {
            tool: 'append_item_pages',
            arguments: { id: placeholderOf('book', 'soap'), content: /^# Hard water\n[\s\S]*sodium citrate/ },
          },
        ],
      },
      {
        name: 'answer',
        anyOf: [
          {
            tool: 'resolve_book_gap',
            arguments: { itemId: placeholderOf('book', 'soap'), subcategory: /hard water/i },
          },
          { tool: 'resolve_book_gap', arguments: { itemId: placeholderOf('book', 'soap'), gapIds: [/^\{\{new:/] } },
        ],
        after: ['write'],
      },
    ],
    answerPatterns: [{ matches: /\b(?:2|two)\b/i }],
    limits: { calls: 7, tokens: 8000, reads: 2 },
  },
  {
    id: 'open-a-request-again',
    userTurns: [
      'I dismissed a request about frost in my soap book by mistake. Open it again, and tell me what the reader had asked.',
    ],
    initialState: {
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
    expectedSteps: [
      {
        name: 'find',
        anyOf: [{ tool: 'list_book_gaps', arguments: { itemId: placeholderOf('book', 'soap'), status: 'DISMISSED' } }],
      },
      {
        name: 'open',
        anyOf: [{ tool: 'restore_book_gap', arguments: { itemId: placeholderOf('book', 'soap') } }],
        after: ['find'],
      },
    ],
    forbiddenCalls: [{ tool: 'resolve_book_gap' }],
    answerPatterns: [{ matches: /freeze/i }],
    limits: { calls: 6, tokens: 6000, reads: 0 },
  },
  {
    id: 'only-half-answered',
    userTurns: ['How heavy is the lens at Skerry Vane, and who paid for it?'],
    initialState: { books },
    expectedSteps: [{ name: 'read', anyOf: opensPages('keeper', 7) }],
    claims: [{ statements: [/2\.4 tonnes/], sources: [{ book: 'keeper', page: 7, quote: 'It weighs 2.4 tonnes' }] }],
    answerPatterns: [
      {
        matches:
          /(?:not|nothing|no word|does not|doesn't)[^.]*(?:paid|pay|cost|money)|(?:paid|pay)[^.]*(?:not|nothing|no )/i,
      },
    ],
    limits: { calls: 8, tokens: 10_000, reads: 3 },
  },
]
