import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse as parseToml } from 'smol-toml'
import { beforeEach, describe, expect, test } from 'vitest'
import { localAssistants, type Home } from '../../../src/admin/connect/assistants.ts'
import { childEnvironment } from '../../support/child-environment.ts'
import { createTemporaryFolder } from '../../support/extraction.ts'

const program = fileURLToPath(new URL('../../../bin/lectern.cjs', import.meta.url))
const address = 'https://books.example.com/api/v1/mcp'

/**
 * Settings files in the variants that occur: comments, tabs, trailing commas, Windows line ends, no final newline,
 * other servers.
 */
const settings: Record<string, string> = {
  'claude-code': '{\n  "numStartups": 41,\n  "mcpServers": {},\n  "projects": {"/home/ann/x": {"allowedTools": []}}\n}',
  'claude-desktop':
    '{\r\n    "mcpServers": {\r\n        "files": { "command": "npx", "args": ["-y", "files"] }\r\n    }\r\n}\r\n',
  cursor: '\ufeff{ "mcpServers": { "other": { "url": "https://other.example/mcp" } } }\n',
  'vs-code':
    '{\n\t// Mine.\n\t"inputs": [],\n\t"servers": {\n\t\t"other": { "type": "http", "url": "https://other.example" }, // keep\n\t},\n}\n',
  codex:
    '# My Codex\nmodel = "gpt-5"   # the best\n\n[mcp_servers.other]\ncommand = "other" # keep\n\n[profiles.fast]\nmodel = "small"\n',
  'gemini-cli': '',
  zed: '// Zed settings\n{\n  "theme": "One Dark", /* dark */\n  "context_servers": {\n    // none yet\n  }\n}\n',
  windsurf: '{}',
}

let home: Home
beforeEach(async () => {
  home = { platform: process.platform, folder: await createTemporaryFolder(), environment: {} }
})

const assistants = () => localAssistants(home)
const fileOf = (id: string) => assistants().find((one) => one.id === id)?.file ?? ''
const read = (id: string) => readFile(fileOf(id), 'utf8')

async function install(id: string, text = settings[id] ?? ''): Promise<void> {
  await mkdir(dirname(fileOf(id)), { recursive: true })
  await writeFile(fileOf(id), text)
}

interface Ran {
  status: number
  out: string
  remarks: string
}

function connect(...args: string[]): Promise<Ran> {
  const env = { ...childEnvironment, PATH: process.env['PATH'], HOME: home.folder, PORT: '1' }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'connect', ...args], { env }, (error, out, remarks) =>
      resolve({ status: error ? Number(error.code) : 0, out, remarks }),
    )
  })
}

const url = ['--url', 'https://books.example.com']

describe('lectern connect', () => {
  test('without --yes, shows the change for every installed assistant and writes nothing', async () => {
    for (const { id } of assistants()) await install(id)
    const { status, out, remarks } = await connect(...url)
    expect(status).toBe(0)
    for (const { id, name, file } of assistants()) {
      expect(out).toContain(`${name}: ${file}\n`)
      expect(await read(id)).toBe(settings[id])
    }
    expect(out).toContain(`+ \t\t"lectern": {`.replace('+ ', '+'))
    expect(remarks).toContain('Nothing was written. To write it, run the command with --yes: lectern connect --yes')
    expect(remarks).toContain('No server answers at https://books.example.com now.')
  })

  test('with --yes, writes the change, preserves everything else, and --undo restores every byte', async () => {
    for (const { id } of assistants()) await install(id)
    await chmod(fileOf('zed'), 0o640)
    const written = await connect('--yes', ...url)
    expect(written.status).toBe(0)
    for (const { name, next } of assistants()) expect(written.remarks).toContain(`${name}: ${next}`)
    for (const { id, servers, format, entry } of assistants()) {
      const text = await read(id)
      for (const line of (settings[id] ?? '').split('\n').filter((one) => /(?<!:)\/\/|\/\*|#/.test(one)))
        expect(text, id).toContain(line.trim())
      // Without comments, trailing commas and the byte order mark, so that another parser can read it.
      const plain = text
        .replace('\ufeff', '')
        .replaceAll(/(?<!:)\/\/.*|\/\*.*?\*\//g, '')
        .replaceAll(/,(\s*[}\]])/g, '$1')
      const value = (format === 'toml' ? parseToml(text) : JSON.parse(plain)) as Record<string, Record<string, unknown>>
      expect(value[servers]?.['lectern'], id).toEqual(entry(address))
      expect(text.includes('\r\n'), id).toBe(settings[id]?.includes('\r\n'))
    }
    expect((await stat(fileOf('zed'))).mode & 0o777).toBe(0o640)
    expect((await connect('--yes', ...url)).remarks).toContain('Zed: is connected already.')

    const shown = await connect('--undo')
    expect(shown.remarks).toContain('lectern connect --yes --undo')
    expect(await read('codex')).not.toBe(settings['codex'])
    await connect('--undo', '--yes')
    for (const { id } of assistants()) expect(await read(id), id).toBe(settings[id])
  })

  test('creates a missing settings file for its owner only, and --undo removes it', async () => {
    const { file } = assistants().find(({ id }) => id === 'cursor') ?? { file: '' }
    expect((await connect('--client', 'cursor', '--yes', ...url)).status).toBe(0)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ mcpServers: { lectern: { url: address } } })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await connect('--client', 'cursor', '--undo', '--yes')
    await expect(stat(file)).rejects.toThrow('ENOENT')
    expect(await readdir(dirname(file))).toEqual([])
  })

  test('--undo removes only its own entry from a file that the assistant has changed since', async () => {
    await install('claude-code')
    await connect('--yes', ...url)
    const since = JSON.parse(await read('claude-code')) as Record<string, unknown>
    await install('claude-code', JSON.stringify({ ...since, numStartups: 42 }))
    await connect('--undo', '--yes')
    expect(JSON.parse(await read('claude-code'))).toEqual({
      numStartups: 42,
      mcpServers: {},
      projects: { '/home/ann/x': { allowedTools: [] } },
    })
  })

  test('--undo after a second URL restores the state before the first', async () => {
    await install('vs-code')
    await connect('--yes', ...url)
    const { out } = await connect('--yes', '--url', 'http://localhost:4000')
    expect(out).toMatch(/-.*books\.example\.com.*\n.*\+.*localhost:4000/)
    await connect('--undo', '--yes')
    expect(await read('vs-code')).toBe(settings['vs-code'])
  })

  test('writes through a symbolic link', async () => {
    await install('zed')
    const kept = join(home.folder, 'dotfiles.json')
    await writeFile(kept, settings['zed'] ?? '')
    await rm(fileOf('zed'))
    await symlink(kept, fileOf('zed'))
    await connect('--yes', ...url)
    expect(await readFile(kept, 'utf8')).toContain(address)
    await connect('--undo', '--yes')
    expect(await readFile(kept, 'utf8')).toBe(settings['zed'])
  })

  test.for([
    ['cursor', '{ "mcpServers": [] }', 'its mcpServers is not an object'],
    ['cursor', '{\n  "mcpServers": {\n', 'it is not valid JSON: CloseBraceExpected in line 3'],
    ['zed', '[]', 'it is not an object of settings'],
    ['codex', 'mcp_servers = 3', 'its mcp_servers is not an object'],
    ['codex', 'model = ', 'it is not valid TOML'],
  ] as const)('leaves %s unchanged if its settings are %j, and says why', async ([id, text, reason]) => {
    await install(id, text)
    await install('windsurf')
    const { status, remarks } = await connect('--yes', ...url)
    expect(status).toBe(1)
    expect(remarks).toContain(`${fileOf(id)} was not changed, because ${reason}`)
    expect(await read(id)).toBe(text)
    expect(await read('windsurf')).toContain(address)
  })

  test('lists what it supports if no assistant is installed, or a name is wrong', async () => {
    const nothing = await connect()
    expect([nothing.status, nothing.remarks]).toEqual([2, expect.stringContaining('None of the known assistants')])
    const wrong = await connect('--client', 'emacs')
    expect([wrong.status, wrong.remarks]).toEqual([2, expect.stringContaining('Known are: claude-code, codex')])
  })

  test('answers in JSON for scripts', async () => {
    await install('cursor')
    const { out } = await connect('--json', ...url)
    const one = assistants().find(({ id }) => id === 'cursor')
    expect(JSON.parse(out)).toEqual({
      written: false,
      assistants: [{ id: 'cursor', name: 'Cursor', file: one?.file, outcome: 'change', reason: null }],
    })
  })
})
