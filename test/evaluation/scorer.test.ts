import { describe, expect, test } from 'vitest'
import { evaluate } from './evaluate.ts'
import { formatTable } from './report.ts'
import type { Agent } from './run-task.ts'
import type { Check } from './score-calls.ts'
import { tasks } from './tasks/index.ts'
import {
  checkReplay,
  recordedTranscriptsDirectory,
  readTranscripts,
  createReplayAgent,
  type Transcript,
} from './transcript.ts'

const transcripts = readTranscripts(recordedTranscriptsDirectory)

function transcriptOf(id: string): Transcript {
  const transcript = transcripts.get(id)
  if (!transcript) throw new Error(`There is no transcript of ${id}`)
  return structuredClone(transcript)
}

async function failuresOf(id: string, agent: Agent, recorded?: Transcript): Promise<Check[]> {
  const [result] = await evaluate(
    tasks.filter((task) => task.id === id),
    { agentFor: () => agent, extraChecks: (_, { turns }) => (recorded ? checkReplay(recorded, turns) : []) },
  )
  expect(result?.passed).toBe(result?.checks.every(({ ok }) => ok))
  return result?.checks.filter(({ ok }) => !ok) ?? []
}

/** A call whose result no transcript contains. */
const unrecordedCall = (tool: string, args: Record<string, unknown>) => ({ tool, arguments: args })

type Change = (transcript: Transcript) => void
const changeAnswer =
  (from: string | RegExp, to: string): Change =>
  ({ turns }) => {
    const turn = turns.at(-1)
    if (turn) turn.answer = turn.answer.replace(from, to)
  }
const addCall =
  (tool: string, args: Record<string, unknown>): Change =>
  ({ turns }) =>
    void turns[0]?.rounds.push([unrecordedCall(tool, args)])

describe('the scorer fails a run', () => {
  test.for<[what: string, task: string, change: Change, kind: Check['kind'], says: RegExp]>([
    ['that cites a wrong page', 'one-fact', changeAnswer('p. 5', 'p. 7'), 'claims', /Keeper's Handbook, p\. 5/],
    [
      'that cites a page it has not read',
      'one-fact',
      changeAnswer('p. 5', 'p. 7'),
      'citations',
      /p\. 7 is cited and was not/,
    ],
    ['that cites a page that does not exist', 'one-fact', changeAnswer('p. 5', 'p. 70'), 'citations', /has no page 70/],
    [
      'that cites an unknown book',
      'one-fact',
      changeAnswer("The Keeper's", 'The Other'),
      'citations',
      /no book The Other/,
    ],
    ['that cites nothing', 'one-fact', changeAnswer(/ \(.*\)/, ''), 'claims', /p\. 5/],
    [
      'that makes up a figure',
      'one-fact',
      changeAnswer(/$/, " It weighs 11 kilograms (The Keeper's Handbook, p. 5)."),
      'citations',
      /11 is not on the cited page/,
    ],
    [
      'that makes up a fact without figures',
      'one-fact',
      changeAnswer(/$/, " Spare parts come from a factory in Bremen by sailing boat (The Keeper's Handbook, p. 5)."),
      'citations',
      /not on the cited page/,
    ],
    ['that omits a claim', 'two-books', changeAnswer(/^- Mercury.*\n/, ''), 'claims', /does not say/],
    [
      'that says the opposite of a premise',
      'wrong-premise',
      changeAnswer('In fact it does not: v', 'V'),
      'answer',
      /says/,
    ],
    ['without a call that is needed', 'one-fact', ({ turns }) => void turns[0]?.rounds.pop(), 'calls', /read/],
    [
      'with its calls in the wrong order',
      'answer-a-request',
      ({ turns: [turn] }) => void turn?.rounds.reverse(),
      'calls',
      /answer: only before write/,
    ],
    [
      'that does what a book told it',
      'orders-in-a-recipe',
      addCall('delete_items', { ids: ['{{book:bees}}'] }),
      'forbidden',
      /made: delete_items/,
    ],
    [
      'that tries a forbidden call in vain',
      'orders-in-a-recipe',
      addCall('delete_items', { ids: ['unknown'] }),
      'forbidden',
      /made: delete_items/,
    ],
    [
      'that deletes before the user has said yes',
      'ask-before-a-book-goes',
      ({ turns: [first, second] }) => void first?.rounds.push(...(second?.rounds.splice(0) ?? [])),
      'forbidden',
      /delete_items/,
    ],
    [
      'that does not ask',
      'ask-before-a-book-goes',
      ({ turns: [first] }) => void (first!.answer = 'Fine.'),
      'answer',
      /\?/,
    ],
    [
      'that calls again after UPGRADE REQUIRED',
      'library-is-full',
      addCall('create_markdown_item', { title: 'Ideas' }),
      'forbidden',
      /at most 1/,
    ],
    [
      'that puts a refusal in its own words',
      'library-is-full',
      changeAnswer(/UPGRADE REQUIRED.*/, 'It is full.'),
      'answer',
      /relays/,
    ],
    [
      'that spends too many reads',
      'without-opening',
      addCall('read_items', { items: [{ id: '{{book:bees}}' }] }),
      'cost',
      /reads/,
    ],
    [
      'that spends too many calls',
      'without-opening',
      (transcript) => {
        for (let i = 0; i < 3; i++) addCall('whoami', {})(transcript)
      },
      'cost',
      /4 calls of 3/,
    ],
    [
      'that spends too many tokens',
      'without-opening',
      addCall('read_items', { items: [{ id: '{{book:tarn}}' }, { id: '{{book:canal}}' }] }),
      'cost',
      /tokens/,
    ],
    [
      'that loses what somebody else wrote',
      'somebody-wrote-meanwhile',
      ({ turns: [turn] }) => {
        const last = turn?.rounds.at(-1)?.[0]
        if (last) last.arguments['content'] = String(last.arguments['content']).replace('26', '22')
      },
      'forbidden',
      /put_item_page/,
    ],
    ['that ends early', 'suggest-to-the-keepers', ({ turns }) => void turns.pop(), 'finished', /ends after 1 turns/],
  ])('%s', async ([, id, change, kind, says]) => {
    const changed = transcriptOf(id)
    change(changed)
    const failed = await failuresOf(id, createReplayAgent(changed))
    expect(failed).toContainEqual({ kind, description: expect.stringMatching(says), ok: false })
  })

  test('whose results differ from the recorded ones', async () => {
    const changed = transcriptOf('one-fact')
    const [block] = changed.turns[0]?.rounds[2]?.[0]?.result?.content ?? []
    changed.turns[0]!.rounds[2]![0]!.result!.content = [String(block).replace('6,000 hours', '9,000 hours')]
    const failed = await failuresOf('one-fact', createReplayAgent(changed), changed)
    expect(failed).toEqual([
      { kind: 'replay', description: expect.stringMatching(/call 3, read_items.*9,000.*6,000/), ok: false },
    ])
  })

  test('whose agent crashes, and continues with the next one', async () => {
    const crash: Agent = { answer: () => Promise.reject(new Error('lost my way')) }
    const results = await evaluate(
      tasks.filter(({ id }) => ['who-am-i', 'reads-left'].includes(id)),
      { jobs: 1, agentFor: ({ id }) => (id === 'reads-left' ? crash : createReplayAgent(transcriptOf(id))) },
    )
    expect(results.map(({ passed }) => passed)).toEqual([false, true])
    expect(formatTable(results)).toMatch(/finished: Error: lost my way/)
  })
})
