import { mcp, type ToolResponse } from './transports.ts'
import type { Person, TestServer } from './server.ts'

interface CollectedText {
  text: string
  answers: ToolResponse[]
}

/** Reads a book over MCP like an agent, completely or from a range on: requests `nextPages` until there is none. */
export async function collectText(
  server: TestServer,
  person: Pick<Person, 'key'>,
  { id, from }: { id: string; from?: string },
): Promise<CollectedText> {
  const answers: ToolResponse[] = []
  let text = ''
  let pages = from
  for (;;) {
    const answer = await mcp.call(server, person, 'read_items', { items: [{ id, pages }] })
    if (!answer.ok) throw new Error(`read_items refused: ${answer.text}`)
    const [item] = answer.body.items as [{ pages?: { content: string }[]; nextPages?: string }]
    const chunk = (item.pages ?? []).map(({ content }) => content).join('')
    answers.push(answer)
    text += chunk
    if (item.nextPages === undefined) return { text, answers }
    if (chunk === '') throw new Error(`No text came for pages ${pages}, and ${item.nextPages} is named again`)
    pages = item.nextPages
  }
}

/**
 * The maximum size of these answers: characters, and tokens estimated as one per four plain characters or one dense
 * character.
 */
export function largestAnswer(answers: readonly ToolResponse[]): { characters: number; tokens: number } {
  const texts = answers.flatMap(({ text, body }) => [text, JSON.stringify(body)])
  return {
    characters: Math.max(...texts.map(({ length }) => length)),
    tokens: Math.max(...texts.map(tokensOf)),
  }
}

function tokensOf(text: string): number {
  let dense = 0
  for (const character of text) if (character.charCodeAt(0) >= 0x590) dense += character.length
  return Math.ceil(dense + (text.length - dense) / 4)
}
