import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { commands } from '../src/admin/commands/index.ts'
import { routePath } from '../src/core/tool.ts'
import { tools } from '../tools/index.ts'

// The formatter aligns the columns of tables.
const readme = (await readFile(new URL('../README.md', import.meta.url), 'utf8')).replaceAll(/ +\|/g, ' |')
const config = await readFile(new URL('../src/app/config.ts', import.meta.url), 'utf8')
const agents = await readFile(new URL('../AGENTS.md', import.meta.url), 'utf8')
const packageJson = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))

describe('the README', () => {
  test.for(tools)('has a row for $name with its route', (tool) => {
    const row = readme.split('\n').find((line) => line.startsWith(`| \`${tool.name}\` |`))
    expect(row, `a table row for ${tool.name}`).toBeDefined()
    const { rest } = tool
    if (rest) expect(row).toContain(`| ${rest.method} \`${rest.base ? routePath(rest) : rest.path}\` |`)
  })

  test('names no tool that does not exist', () => {
    const rows = [...readme.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name)
    expect(rows).toEqual(tools.map(({ name }) => name))
  })

  test.for([...commands])('shows the command "$name" with its options', ({ name, usage }) => {
    expect(readme).toContain(`\`${name} ${usage}\``)
  })

  test('names every variable that the configuration reads, and no other', () => {
    const read = new Set([...config.matchAll(/^ {2}(LECTERN_\w+|PORT|HOST):/gm)].map(([, name]) => name))
    const named = new Set([...readme.matchAll(/`(LECTERN_(?!TEST_|KEY)\w+|PORT|HOST)`/g)].map(([, name]) => name))
    expect([...named].sort()).toEqual([...read].sort())
  })

  test('begins with the two commands that start it and test it', () => {
    const screen = readme.split('\n').slice(0, 30).join('\n')
    expect(screen).toContain('npm ci && npm start')
    expect(screen).toContain('npm ci && npm test')
  })

  test('names only npm scripts that exist', () => {
    const named = [...`${readme}\n${agents}`.matchAll(/npm run (?:--silent )?([a-z:]+)/g)].map(
      ([, name]) => name as string,
    )
    expect(named.length).toBeGreaterThan(3)
    for (const name of named) expect(packageJson.scripts).toHaveProperty([name])
  })
})

test('AGENTS.md fits on a screen or two', () => {
  expect(agents.split('\n').length).toBeLessThanOrEqual(75)
})
