import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { adminCommands as localCommands } from '../support/admin-commands.ts'
import { loadCommands } from '../../src/cli/command-table.ts'
import { ownCommands } from '../../src/cli/own-commands.ts'
import { readInput } from '../../src/cli/read-input.ts'
import { runClientCommand } from '../support/run-client.ts'

const { commands, topics } = loadCommands()
const commandNamed = (name: string) => {
  const command = commands.find((candidate) => candidate.name === name)
  if (!command) throw new Error(`There is no command ${name}`)
  return command
}

describe('names', () => {
  test.for([
    ['list_items', 'items list'],
    ['add_to_shelf', 'shelves add'],
    ['list_item_versions', 'items list-versions'],
    ['list_author_gaps', 'gaps list'],
    ['start_access_session', 'sessions start'],
    ['whoami', 'whoami'],
  ])('%s becomes %j', ([tool, name]) => {
    expect(commands.filter((command) => command.tool === tool).map((command) => command.name)).toContain(name)
  })

  test('command names are unique', () => {
    const names = [...commands, ...ownCommands, ...localCommands].map(({ name }) => name)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  test('no command begins like a command of administrators, which would hide their group', () => {
    const local = new Set(localCommands.map(({ name }) => name.split(' ')[0]))
    const firsts = [...commands, ...ownCommands].map(({ name }) => name.split(' ')[0])
    expect(firsts.filter((first) => local.has(first))).toEqual([])
  })

  test('every topic has a description', () => {
    const used = new Set(commands.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0]))
    expect([...used].sort()).toEqual(Object.keys(topics).sort())
  })

  test('no field has the name of an option that all commands have', () => {
    const shared = new Set(['url', 'key', 'profile', 'json', 'help', 'output'])
    expect(
      commands.flatMap(({ name, fields }) => fields.filter(({ option }) => shared.has(option)).map(() => name)),
    ).toEqual([])
  })
})

describe('values', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-'))
    await writeFile(join(folder, 'page.md'), '# Soap\n')
    await writeFile(join(folder, 'toc.json'), '[{"title":"Soap","page":1,"level":1}]')
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  const read = async (name: string, args: readonly string[]) => {
    const { readFile } = await import('node:fs/promises')
    const source = { readFile: (path: string) => readFile(join(folder, path), 'utf8'), readStdin: async () => 'typed' }
    return (await readInput(commandNamed(name), args, source)).values
  }

  test.for<[string, string[], object]>([
    ['read', ['b1', '1-3'], { ids: ['b1'], pages: '1-3' }],
    ['read', ['b1', '--no-partial'], { ids: ['b1'], partial: false }],
    ['search', ['soap', 'and', 'lye'], { query: 'soap and lye' }],
    ['search', ['--limit=5', 'soap'], { query: 'soap', limit: 5 }],
    ['toc', ['b1', 'b2'], { ids: ['b1', 'b2'] }],
    ['shelves add', ['to-read', 'b1', 'b2'], { id: 'to-read', itemIds: ['b1', 'b2'] }],
    ['shelves add', ['to-read', 'b1,b2'], { id: 'to-read', itemIds: ['b1', 'b2'] }],
    ['shelves add', ['to-read', '--item-ids', 'b1', '--item-ids', 'b2'], { id: 'to-read', itemIds: ['b1', 'b2'] }],
    ['items pick-usable', ['[]'], { ids: [] }],
    ['items create-markdown', ['Soap', '--content', '@page.md'], { title: 'Soap', content: '# Soap\n' }],
    ['items create-markdown', ['Soap', '--content', '-'], { title: 'Soap', content: 'typed' }],
    ['items create-markdown', ['Soap', '--content', '@@home'], { title: 'Soap', content: '@home' }],
    ['items create-markdown', ['@page.md'], { title: '@page.md' }],
    ['items create-markdown', ['--', '--json'], { title: '--json' }],
    ['items enrich', ['b1', '--toc', '@toc.json'], { itemId: 'b1', toc: [{ title: 'Soap', page: 1, level: 1 }] }],
    ['items enrich', ['b1', '--confidence', '0.5'], { itemId: 'b1', confidence: 0.5 }],
    ['items enrich', ['b1', '--outcomes', '["a, b"]'], { itemId: 'b1', outcomes: ['a, b'] }],
    ['items enrich', ['b1', '--outcomes', 'a, b', '--outcomes', 'c'], { itemId: 'b1', outcomes: ['a, b', 'c'] }],
    ['items enrich', ['b1', '--no-author'], { itemId: 'b1', author: null }],
    ['items restore-version', ['b1', '2'], { itemId: 'b1', version: 2 }],
    ['items restore-version', ['b1', '--version', '2'], { itemId: 'b1', version: 2 }],
  ])('lectern %s %j', async ([name, args, values]) => {
    expect(await read(name, args)).toEqual(values)
  })

  test.for<[string, string[], RegExp]>([
    ['shelves add', [], /^SHELF is missing$/],
    ['shelves add', ['s'], /^ITEM_ID is missing$/],
    ['shelves list', ['extra'], /^unexpected word: extra/],
    ['items enrich', ['b1', '--confidence', 'high'], /^--confidence: must be a number$/],
    ['items enrich', ['b1', '--toc', '{'], /^--toc: must be JSON/],
    ['items enrich', ['b1', '--outcomes', '[1'], /^--outcomes: must be JSON/],
    ['items enrich', ['b1', '--author', 'A', '--author', 'B'], /^--author is given twice$/],
    ['items enrich', ['b1', '--autor', 'A'], /^unknown option --autor\. Did you mean --author\?$/],
    ['items enrich', ['b1', '--author'], /^--author needs a value$/],
    ['items enrich', ['b1', '--author', '--toc', '[]'], /^--author needs a value$/],
    ['items enrich', ['b1', '-x'], /^unknown option -x$/],
    ['items enrich', ['b1', '--constructor'], /^unknown option --constructor$/],
    ['items enrich', ['b1', '--__proto__', 'A'], /^unknown option --__proto__$/],
    ['config update', ['--plan-mode', 'never ever'], /^--plan-mode: must be one of /],
    ['items purge-version', ['b1', '2', '--confirm=yes'], /^--confirm takes no value$/],
    ['items purge-version', ['b1', 'two'], /^--version: must be a number$/],
  ])('lectern %s %j is refused', async ([name, args, message]) => {
    await expect(read(name, args)).rejects.toThrow(message)
  })

  test('a missing file is named', async () => {
    const run = await runClientCommand(['items', 'create-markdown', 'Soap', '--content', '@none.md'], {
      folder: '/nonexistent',
    })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(
      /^none\.md cannot be read: there is no such file\..*\nUsage: lectern items create-markdown TITLE.*\nlectern help items create-markdown says more\.\n$/,
    )
  })
})

describe('help', () => {
  test.for([[[]], [['help']], [['--help']], [['-h']]])('%j lists every group with a description', async ([args]) => {
    const { code, stdout, stderr } = await runClientCommand(args ?? [])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const names = [...Object.keys(topics), ...ownCommands.map(({ name }) => name), 'read', 'search', 'whoami']
    for (const word of [...names, ...localCommands.map(({ name }) => name.split(' ')[0])])
      expect(stdout).toMatch(new RegExp(`^  ${word} +\\S`, 'm'))
  })

  test.for(Object.keys(topics))('help %s lists its commands', async (topic) => {
    const [asked, switched] = [await runClientCommand(['help', topic]), await runClientCommand([topic, '--help'])]
    expect(switched).toEqual(asked)
    for (const { name, title } of commands.filter((command) => command.name.startsWith(`${topic} `)))
      expect(asked.stdout).toMatch(new RegExp(`^  ${name.slice(topic.length + 1)} +${title}$`, 'm'))
  })

  test.for(commands)('$name --help names every option', async ({ name, fields, positionals, description }) => {
    const [asked, switched] = [
      await runClientCommand(['help', ...name.split(' ')]),
      await runClientCommand([...name.split(' '), '-h']),
    ]
    expect(switched).toEqual(asked)
    expect(asked.code).toBe(0)
    expect(asked.stdout).toContain(`Usage: lectern ${name}`)
    expect(asked.stdout).toContain(description)
    for (const { option, name: field } of fields.filter((one) => !positionals.includes(one.name)))
      expect(asked.stdout, field).toMatch(new RegExp(`--(?:\\[no-\\])?${option}\\b`))
  })

  const usageOf = ({ name, usage, summary }: { name: string; usage: string; summary: string }) =>
    `Usage: ${`lectern ${name} ${usage}`.trim()}\n\n${summary}\n`

  test.for(localCommands)('$name --help shows its usage', async (command) => {
    const { code, stdout } = await runClientCommand([...command.name.split(' '), '--help'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: usageOf(command) })
  })

  test.for(ownCommands)('$name --help shows its usage, and a sentence for each option', async (command) => {
    const { code, stdout } = await runClientCommand([command.name, '--help'])
    expect(code).toBe(0)
    expect(stdout.startsWith(usageOf(command))).toBe(true)
    for (const [option, { takesValue }] of Object.entries(command.options))
      expect(stdout).toMatch(new RegExp(`^  --${option}${takesValue ? ' [A-Z]+' : ''} +[A-Z]`, 'm'))
    for (const [, option = ''] of command.usage.matchAll(/--([a-z-]+)/g)) expect(command.options).toHaveProperty(option)
  })

  test('fields that a description mentions appear as options', async () => {
    expect((await runClientCommand(['help', 'read'])).stdout).toMatch(
      /^  PAGES  The pages to read of each book in ID, such as/m,
    )
    const { stdout } = await runClientCommand(['help', 'items', 'enrich'])
    expect(stdout).toMatch(/--no-author +The author\. --no-author: none\./)
  })

  test.for(commands)('the example of $name can be parsed', async (command) => {
    if (command.example === undefined) return
    const words = [...command.example.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
    const source = { readFile: async () => 'text', readStdin: async () => 'text' }
    await expect(readInput(command, words, source)).resolves.toBeDefined()
  })
})

describe('a command line', () => {
  test.for<[string, RegExp]>([
    ['frobnicate', /^unknown command: frobnicate\n\nlectern help lists all commands\.\n$/],
    ['shelevs list', /^unknown command: shelevs list\nDid you mean shelves list\?/],
    ['items lst', /^unknown command: items lst\nDid you mean items list\?/],
    ['raed b1', /^unknown command: raed b1\nDid you mean read\?/],
    [
      'items',
      /^items needs a second word\.\nThe commands are: items list, .*\n\nlectern help items explains them\.\n$/,
    ],
    ['help frobnicate', /^unknown command: frobnicate\n/],
    ['whoami', /^no server is named\. Sign in with lectern login --url URL/],
    ['whoami --url nowhere?x=1 --key k', /^--url: must be the address of a server/],
    ['whoami --profile work', /^--profile: there is no profile work\. There is none yet\./],
    ['completion tcsh', /^name a shell: bash, zsh or fish\n/],
    ['completion constructor', /^name a shell: bash, zsh or fish\n/],
  ])('%j exits with 2 and gives the reason', async ([line, message]) => {
    const run = await runClientCommand(line.split(' '))
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(message)
    const asJson = await runClientCommand([...line.split(' '), '--json'])
    expect(asJson).toMatchObject({
      code: 2,
      stderr: '',
      json: { error: expect.stringMatching(message.source.replace(/\\n\$?$/, '').replace(/\$$/, '')), code: 'USAGE' },
    })
  })

  test('a command of administrators is passed on to them', async () => {
    for (const { name } of localCommands)
      expect((await runClientCommand([...name.split(' '), '--json'])).code).toBeNull()
  })

  test('--version prints the version', async () => {
    expect((await runClientCommand(['--version'])).stdout).toMatch(/^lectern \d+\.\d+\.\d+\n$/)
  })

  test.for<[string, string[], string]>([
    ['the default address', [], 'http://localhost:3000'],
    ['the server of this user on this machine', ['http://localhost:3400'], 'http://localhost:3400'],
    [
      'the default address if several servers run',
      ['http://localhost:1', 'http://localhost:2'],
      'http://localhost:3000',
    ],
  ])('a key without a server is sent to %s', async ([, localServers, expected]) => {
    const asked: unknown[] = []
    const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
      asked.push(url)
      throw new TypeError('fetch failed')
    })
    const run = await runClientCommand(['whoami'], { environment: { LECTERN_KEY: 'k' }, localServers })
    spy.mockRestore()
    expect(asked).toEqual([`${expected}/api/v1/auth/whoami`])
    expect(run.code).toBe(1)
    expect(run.stderr).toContain(`No Lectern server answers at ${expected}.`)
  })

  test('a server that does not answer is named', async () => {
    const run = await runClientCommand(['whoami', '--url', 'http://127.0.0.1:1', '--key', 'k'])
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(/^No Lectern server answers at http:\/\/127\.0\.0\.1:1 /)
  })
})

describe('completion', () => {
  test.for<[string[], string[]]>([
    [['sh'], ['shelves']],
    [['shelves', 'a'], ['add']],
    [['user', 'cr'], ['create']],
    [['help', 'shelves', 'd'], ['delete']],
    [['manuscripts', 'list', '--st'], ['--status']],
    [['manuscripts', 'list', '--status', 'PA'], ['PAUSED']],
    [['user', 'create', '--em'], ['--email']],
    [['completion', 'z'], ['zsh']],
    [['login', '--no'], ['--no-browser']],
  ])('%j becomes %j', async ([words, found]) => {
    expect((await runClientCommand(['--complete', ...words])).stdout).toBe(found.map((word) => `${word}\n`).join(''))
  })

  test.for(['bash', 'zsh', 'fish'])('%s gets a script that asks the command for completions', async (shell) => {
    expect((await runClientCommand(['completion', shell])).stdout).toContain('lectern --complete')
  })
})
