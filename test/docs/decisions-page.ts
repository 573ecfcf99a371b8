import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './read-documents.ts'

/** The index of the architecture decision records. */
export function renderDecisionsPage(): string {
  const files = globSync('docs/decisions/[0-9]*.md', { cwd: root }).sort()
  const rows = files.map((path) => {
    const [, title = ''] = /^# (?:\d+\. )?(.+)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? []
    const file = basename(path)
    return `- [${file.slice(0, 4)}](${file}) ${title}`
  })
  return `# Decisions

<!-- Written by \`npm run docs\` from the records in this folder; a test fails when this file is not what that writes. -->

Architecture decision records. Each explains why Lectern is built in one way and not in another. A record has the sections
Context, Decision, Consequences and What was measured, where there is something to say. A decision that is replaced keeps its
file, and names its successor under Status.

${rows.join('\n')}
`
}
