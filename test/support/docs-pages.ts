import { execFile } from 'node:child_process'
import type { TestServer } from './server.ts'

/** A page of the reference as a browser without JavaScript gets it. */
export interface DocsPage {
  path: string
  text: string
}

/** A block of code on a page, with the attributes of its element. */
export interface ShellBlock {
  source: string
  /** The status of the refusal that it demonstrates; null if there is none. */
  refused: number | null
}

/** All pages of the reference, found by following its links from the first one. */
export async function readDocs({ baseUrl }: Pick<TestServer, 'baseUrl'>): Promise<DocsPage[]> {
  const pages = new Map<string, string>()
  const waiting = ['/docs']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue
    const response = await fetch(baseUrl + path)
    if (response.status !== 200) throw new Error(`${path} is linked to and answers ${response.status}`)
    const text = await response.text()
    pages.set(path, text)
    waiting.push(...linksOf(text).flatMap((link) => /^\/docs(?:\/[\w-]+)?(?=$|[#?])/.exec(link)?.[0] ?? []))
  }
  return [...pages].map(([path, text]) => ({ path, text }))
}

/** The targets of all links on a page. */
export function linksOf(page: string): string[] {
  return [...page.matchAll(/<a\b[^>]*?href="([^"]*)"/g)].map(([, target = '']) => plainText(target))
}

/** The ids of all elements of a page. */
export function idsOf(page: string): string[] {
  return [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => plainText(id))
}

/** The sections of operations on a page by their ids. */
export function operationsOf(page: string): Map<string, string> {
  const sections = page.split(/(?=<section class="operation")/).slice(1)
  return new Map(sections.map((section) => [/ id="([^"]+)"/.exec(section)?.[1] ?? '', section]))
}

/** The commands of a page in order. */
export function shellBlocksOf(page: string): ShellBlock[] {
  return [...page.matchAll(/<figure class="code" data-shell([^>]*)>[\s\S]*?<pre[^>]*>([\s\S]*?)<\/pre>/g)].map(
    ([, attributes = '', source = '']) => ({
      source: plainText(source),
      refused: Number(/data-refused="(\d+)"/.exec(attributes)?.[1] ?? 0) || null,
    }),
  )
}

/** The block of code under a heading of a section. */
export function codeUnder(section: string, label: string): string | null {
  const blocks = section.matchAll(/<figcaption>([^<]*)<\/figcaption>\s*<pre[^>]*>([\s\S]*?)<\/pre>/g)
  const found = [...blocks].find(([, caption]) => caption?.startsWith(label))
  return found ? plainText(found[2] ?? '') : null
}

/** Text without tags and entities. */
export function plainText(source: string): string {
  return source
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:39|x27);/g, "'")
    .replaceAll('&amp;', '&')
}

export interface ShellRun {
  /** The status of each request that `curl` made, in order. */
  statuses: number[]
  stdout: string
  stderr: string
  code: number
}

/**
 * Runs commands unchanged in a shell; `curl` only reports the status of each response, and streams end after a second.
 * Bash takes a socket as its input for a login from elsewhere, and would read `.bashrc`.
 */
export function runShell(source: string, options: { cwd: string; env: Record<string, string> }): Promise<ShellRun> {
  const wrapped = `set -e
curl() {
  local arguments=(); local streams=
  for argument in "$@"; do [ "$argument" = -N ] && streams=1; arguments+=("$argument"); done
  if [ -n "$streams" ]; then arguments+=(--max-time 1); fi
  command curl -sS -w '%{stderr}status %{http_code}\\n' "\${arguments[@]}" || { [ $? = 28 ] && [ -n "$streams" ]; }
}
${source}`
  return new Promise((resolve) => {
    execFile(
      'bash',
      ['--norc', '-c', wrapped],
      { ...options, env: { PATH: process.env['PATH'] ?? '', ...options.env } },
      done,
    )
    function done(error: Error | null, stdout: string, stderr: string): void {
      const statuses = [...stderr.matchAll(/^status (\d+)$/gm)].map(([, status]) => Number(status))
      resolve({ statuses, stdout, stderr, code: error ? Number((error as { code?: number }).code ?? 1) : 0 })
    }
  })
}
