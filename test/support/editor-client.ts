import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { pageRefs } from '../../src/reading/store.ts'
import type { TestServer } from './server.ts'
import type { WebPerson } from './signed-in-person.ts'
import { mcp } from './transports.ts'
import { hiddenFields, type Fields, type PageAnswer, type WebClient } from './web-client.ts'

/** The text in a page editor, as a browser parses it. */
export function editorText(page: string): string {
  const source = /<textarea\b[^>]*name="text"[^>]*>([\s\S]*?)<\/textarea>/.exec(page)?.[1] ?? ''
  return unescapeHtml(source.replace(/^\n/, ''))
}

/** The text of a page without its tags. */
export function visibleText(page: string): string {
  return unescapeHtml(page.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ')
}

function unescapeHtml(text: string): string {
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
}

/** Opens the editor at a path and returns the fields of its form. */
export async function openEditor(browser: WebClient, path: string): Promise<Record<string, string>> {
  const { status, text } = await browser.get(path)
  if (status !== 200) throw new Error(`The editor answered ${status}: ${visibleText(text)}`)
  return { ...hiddenFields(text, path.split('?')[0] ?? ''), text: editorText(text) }
}

/** Submits the form of an editor like a browser, with CR LF as line ends. */
export function sendEditor(browser: WebClient, path: string, fields: Fields): Promise<PageAnswer> {
  const text = String(fields['text'] ?? '').replaceAll(/\r\n?|\n/g, '\r\n')
  return browser.post(path, { ...fields, text })
}

/** An MCP program of a person, with a key of its own. */
export async function agentOf(server: TestServer, { account }: WebPerson, name: string) {
  const { key } = await createApiKey(server.running.opened.services, account.id, { name })
  return async (tool: string, input: Record<string, unknown>) => {
    const { ok, body, text } = await mcp.call(server, { key }, tool, input)
    if (!ok) throw new Error(`${tool}: ${text}`)
    return body
  }
}

/** The stored text of a book, page by page, and its version. */
export async function storedBook(server: TestServer, id: string): Promise<{ version: number; pages: string[] }> {
  const { services } = server.running.opened
  const [book] = await services.books.byIds([id])
  if (!book) throw new Error('There is no such book')
  const manifest = await services.contents.getManifest(id, book.version)
  if (!manifest) throw new Error('There is no such version')

  const pages = await services.contents.getPages([...pageRefs(manifest, 1, manifest.pageCount)])
  return { version: book.version, pages: pages.map(({ content }) => content) }
}
