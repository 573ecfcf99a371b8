import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { loadCommands } from '../../src/cli/command-table.ts'
import { optionForm, optionUsage } from '../../src/cli/help.ts'
import { ownCommands } from '../../src/cli/own-commands.ts'
import { hasProgram } from '../support/has-program.ts'
import { describeWith } from '../support/system-needs.ts'
import { root } from './read-documents.ts'
import { roff, roffOfMarkdown } from './roff.ts'

const run = promisify(execFile)
const page = join(root, 'man/lectern.1')

test.for([
  ['a - b', 'a \\- b'],
  ['--no-wait, -h', '\\-\\-no\\-wait, \\-h'],
  ['--[no-]partial', '\\-\\-[no\\-]partial'],
  ['FILE… "it\'s"', 'FILE... \\(dqit\\(aqs\\(dq'],
  ['C:\\new `x` ~ ^', 'C:\\(rsnew \\(gax\\(ga \\(ti \\(ha'],
  ['.TH is text\n.SH too', '\\&.TH is text\n\\&.SH too'],
  ['Käse – 📚', 'K\\[u00E4]se \\[u2013] \\[u1F4DA]'],
])('%j is %j in the language of manual pages', ([text, expected]) => {
  expect(roff(text as string)).toBe(expected)
})

test('Markdown is reduced to its words; code and bold text become bold', () => {
  expect(roffOfMarkdown('See [the `key`](keys.md#a),\n  **now** or `--key -`.')).toBe(
    'See the \\fBkey\\fR, \\fBnow\\fR or \\fB\\-\\-key \\-\\fR.',
  )
})

test('the package has the page where npm looks for it', () => {
  const { man, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string[]>
  expect(man).toEqual(['man/lectern.1'])
  expect(files).toContain('man')
})

describeWith(hasProgram('groff', 'groff-base'))('groff', () => {
  test.for(['ascii', 'utf8', 'ps'])('renders the page for %s without a warning', async (device) => {
    const { stderr } = await run('groff', ['-man', '-ww', '-z', `-T${device}`, page])
    expect(stderr).toBe('')
  })
})

describeWith(hasProgram('man', 'man-db'))('man', () => {
  test('shows every command with its options, without a warning', async () => {
    const { stdout, stderr } = await run('man', ['--warnings', '--local-file', page], {
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', MANWIDTH: '400', MANPAGER: 'cat', TERM: 'dumb' },
    })
    expect(stderr).toBe('')
    const { commands, local } = loadCommands()
    for (const { name, description, fields, positionals } of commands) {
      expect(stdout).toContain(`lectern ${name}`)
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(description.replaceAll(/\s+/g, ' '))
      for (const field of fields.filter((one) => !positionals.includes(one.name)))
        expect(stdout).toContain(optionUsage(field))
    }
    for (const { name, usage, summary } of [...ownCommands, ...local]) {
      expect(stdout).toContain(`lectern ${name} ${usage.replaceAll('…', '...')}`.trim())
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(summary)
    }
    for (const { options } of ownCommands)
      for (const [name, option] of Object.entries(options)) expect(stdout).toContain(optionForm(name, option))
  })
})
