import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasProgram } from '../support/has-program.ts'
import { runInTerminal, scriptNeed } from '../support/pseudo-terminal.ts'
import { describeWith } from '../support/system-needs.ts'

const program = fileURLToPath(new URL('../../bin/lectern.cjs', import.meta.url))
const prompt = 'READY> '

/** How each shell starts with the completion script, as docs/cli.md describes. */
const shells = {
  bash: { rc: `PS1='${prompt}'\nsource <(lectern completion bash)\n`, args: (rc: string) => ['--rcfile', rc, '-i'] },
  zsh: { rc: `PS1='${prompt}'\nsource <(lectern completion zsh)\n`, args: () => ['-i'] },
  fish: {
    rc: `function fish_prompt; echo -n '${prompt}'; end\nlectern completion fish | source\n`,
    args: (rc: string) => ['--no-config', '--interactive', '--init-command', `source ${rc}`],
  },
}

/** The text typed before the Tab key, and the arguments of the command that then runs. */
const lines: [typed: string, run: string][] = [
  ['it', 'items'],
  ['items list-del', 'items|list-deleted'],
  ['upload --no-w', 'upload|--no-wait'],
  ['manuscripts list --status PA', 'manuscripts|list|--status|PAUSED'],
  ['user cr', 'user|create'],
  ['help shelves d', 'help|shelves|delete'],
  ['upload soap', 'upload|soap on a rope.md'],
]

describe.for(Object.keys(shells) as (keyof typeof shells)[])('in a real %s', (name) => {
  const withShell = hasProgram(name, name)
  describeWith(withShell.present ? scriptNeed : withShell)('a terminal', () => {
    let folder = ''

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'lectern-shell-'))
      await mkdir(join(folder, 'bin'))
      const wrapper = `#!/bin/sh
case $1 in
  --complete|completion) exec '${process.execPath}' '${program}' "$@" ;;
  *) IFS='|'; echo "ran<$*>" ;;
esac
`
      await writeFile(join(folder, 'bin/lectern'), wrapper)
      await chmod(join(folder, 'bin/lectern'), 0o755)
      // zsh also reads this file when it starts.
      await writeFile(join(folder, '.zshrc'), shells[name].rc)
      await writeFile(join(folder, 'soap on a rope.md'), '# Soap\n')
    })
    afterAll(() => rm(folder, { recursive: true, force: true }))

    test('the Tab key completes commands, options, values and files', { timeout: 120_000 }, async () => {
      const typed = [...lines.map(([line]) => `lectern ${line}\t\r`), 'exit\r']
      const { shown } = await runInTerminal([name, ...shells[name].args(join(folder, '.zshrc'))], {
        folder,
        environment: { HOME: folder, ZDOTDIR: folder, PATH: `${folder}/bin${delimiter}${process.env['PATH']}` },
        answers: typed.map((line, i) => [i === 0 ? prompt : 'ran<', line]),
      })
      expect(
        [...shown.matchAll(/ran<([^>]*)>/g)].map(([, run]) => run),
        shown,
      ).toEqual(lines.map(([, run]) => run))
    })
  })
})
