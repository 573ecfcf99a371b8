import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Document {
  /** The path, relative to the root of the repository. */
  path: string
  text: string
}

/** Every document for people: those at the root and those in `docs/`. */
export function readDocuments(): Document[] {
  const paths = [...globSync('*.md', { cwd: root }), ...globSync('docs/**/*.md', { cwd: root })].sort()
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** The text of a document without its fenced blocks. */
function proseOf(text: string): string {
  return text.replaceAll(/^(```|~~~)[\s\S]*?^\1$/gm, '')
}

/** The inline code (between backticks) outside fenced blocks. */
export function codeSpansOf(text: string): string[] {
  return [...proseOf(text).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span as string)
}

/** The contents of fenced blocks in a language. */
export function fencedBlocksOf(text: string, language: string): string[] {
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))
  return [...blocks].map(([, block]) => block as string)
}

/** The targets of links and pictures, without code. */
export function linksOf(text: string): string[] {
  return [
    ...proseOf(text)
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^()\s]+)\)/g),
  ].map(([, target]) => target as string)
}

/** The anchors of the headings, in GitHub's format. */
export function anchorsOf(text: string): string[] {
  return [...proseOf(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  )
}
