import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { adminCommands as commands } from './support/admin-commands.ts'
import { loadCommands } from '../src/cli/command-table.ts'
import { ownCommands } from '../src/cli/own-commands.ts'
import { optionsOf } from '../src/cli/read-input.ts'
import { routePath } from '../src/core/tool.ts'
import { tools } from '../tools/index.ts'
import { renderDocuments } from './docs/generated-documents.ts'
import { anchorsOf, codeSpansOf, fencedBlocksOf, linksOf, readDocuments, root } from './docs/read-documents.ts'

const documents = readDocuments()
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const readme = read('README.md')
const config = read('src/app/config.ts')
const packageJson = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

/** The sources in which a name in a document may be defined. */
const sources = globSync(['{src,tools,oauth,test,bench}/**/*.{ts,json}', '.ci/*', '*.json'], {
  cwd: root,
  exclude: ['package-lock.json', 'test/docs/**', 'test/docs.test.ts', 'test/evaluation/transcripts/**'],
})
const sourceText = sources.map(read).join('\n')
const isWordOfSources = (word: string) => new RegExp(`(?<![\\w$])${word}(?![\\w$])`).test(sourceText)

/** The variables that the configuration reads, with their defaults. */
const variables = new Map(
  [...config.matchAll(/^ {2}(LECTERN_\w+|PORT|HOST): ([\s\S]*?),\n(?= {2}[A-Z]|\}\))/gm)].map(
    ([, name = '', schema = '']) => {
      const [, value = ''] = /\.default\((.*?)\)/.exec(schema) ?? []
      const shared = { commaSeparatedList: '', booleanFlag: 'false' }[schema] ?? value
      return [name, shared.replaceAll("'", '').replaceAll('_', '_')] as const
    },
  ),
)

/** Variables in documents that the configuration does not read. */
const otherVariables = new Set(['LECTERN_URL', 'LECTERN_KEY', 'LECTERN_PROFILE', 'LECTERN_CI_DIR'])

/** Addresses in documents that no tool declares. */
const otherAddresses = new Set(['/api/v1/mcp', '/api/v1/upload/blob/{token}', '/api/v1/openapi.json'])

/** Returns the options of the command at the start of `words`; null if there is none. */
function optionsOfCommand(words: string): string[] | null {
  const local = commands.find(({ name }) => name === words)
  if (local) return [...local.usage.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name)
  const [first = '', second = ''] = words.split(' ')
  if (first === 'help') return []
  const named = ({ name }: { name: string }) => name === first || name === `${first} ${second}`
  const derived = loadCommands().commands.find(named)
  const own = ownCommands.find(named)
  return derived ? Object.keys(optionsOf(derived)) : own ? Object.keys(own.options) : null
}

const addresses = new Set([
  ...otherAddresses,
  ...tools.flatMap(({ rest }) =>
    rest ? [routePath(rest), ...(rest.events ? [routePath({ ...rest, ...rest.events })] : [])] : [],
  ),
])

describe('the README', () => {
  test('has at most 120 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120)
  })

  test('begins with the two commands that start Lectern and test it', () => {
    const screen = readme.split('\n').slice(0, 30).join('\n')
    expect(screen).toContain('npm ci && npm start')
    expect(screen).toContain('npm ci && npm test')
  })

  test('links to every page of docs/', () => {
    const pages = documents.map(({ path }) => path).filter((path) => /^docs\/[^/]+\.md$/.test(path))
    expect(pages.length).toBeGreaterThan(10)
    expect(linksOf(readme)).toEqual(expect.arrayContaining(pages))
  })
})

test('AGENTS.md fits on two screens', () => {
  expect(read('AGENTS.md').split('\n').length).toBeLessThanOrEqual(75)
})

describe.for(renderDocuments())('$path', ({ path, text }) => {
  test('is what `npm run docs` writes', () => {
    expect(existsSync(join(root, path)) ? read(path) : '').toBe(text)
  })
})

describe('docs/tools.md', () => {
  const page = read('docs/tools.md')

  test.for(tools)('has a row for $name with its route', (tool) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${tool.name}\` |`))
    expect(row, `a table row for ${tool.name}`).toBeDefined()
    const { rest } = tool
    if (rest) expect(row).toContain(`| ${rest.method} \`${rest.base ? routePath(rest) : rest.path}\``)
  })

  test('names no tool that does not exist', () => {
    const [capabilities = ''] = page.split('\n## Other addresses')
    const rows = [...capabilities.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name)
    expect(rows.sort()).toEqual(tools.map(({ name }) => name).sort())
  })
})

describe('docs/cli.md', () => {
  test.for([...commands])('shows the command "$name" with its options', ({ name, usage }) => {
    expect(read('docs/cli.md')).toContain(`\`${`${name} ${usage}`.trim()}\``)
  })
})

describe('docs/configuration.md', () => {
  const rows = [...read('docs/configuration.md').matchAll(/^\| `(LECTERN_\w+|PORT|HOST)` \|(.*?)\|/gm)]

  test('has a row for every variable that the configuration reads, and no other', () => {
    expect(variables.size).toBeGreaterThan(20)
    expect(rows.map(([, name]) => name).sort()).toEqual([...variables.keys()].sort())
  })

  test.for(rows.map(([, name = '', value = '']) => [name, value] as const))(
    'gives the default of %s',
    ([name, value]) => {
      const literal = /^ `([^`]*)`/.exec(value)?.[1] ?? ''
      const expected = variables.get(name) ?? ''
      expect(literal.replaceAll('_', '')).toBe(expected.replaceAll('_', ''))
    },
  )
})

describe.for(documents)('$path', ({ path, text }) => {
  const spans = codeSpansOf(text)
  const shell = [...fencedBlocksOf(text, 'sh'), ...spans].join('\n')

  test('has no broken link', () => {
    const broken = linksOf(text).filter((link) => {
      if (/^(https?|mailto):/.test(link)) return false
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : normalize(join(dirname(path), file))
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('names only files that exist, or that it tells readers to create', () => {
    const made = new Set([...text.matchAll(/The new file `([^`]+)`/g)].map(([, file]) => file))
    const paths = spans.filter((span) =>
      /^(src|tools(?!\/(list|call)$)|oauth|test|bench|docs|\.ci)\/[\w./-]*$/.test(span),
    )
    expect(paths.filter((file) => !made.has(file) && !existsSync(join(root, file)))).toEqual([])
  })

  test('names only npm scripts that exist', () => {
    const names = [...text.matchAll(/npm run (?:--silent )?([a-z:]+)/g)].map(([, name]) => name as string)
    expect(names.filter((name) => !(name in packageJson.scripts))).toEqual([])
  })

  test('names only commands and options that exist', () => {
    const word = '[a-z]+(?:-[a-z]+)*'
    const pattern = `\\blectern (?:-- )?((?:${word} )*${word})((?: --[a-z-]+(?:[ =][^\\s-][^\\s]*)?)*)`
    const calls = [...shell.matchAll(new RegExp(pattern, 'g'))]
    const wrong = calls.filter(([, words = '', options = '']) => {
      if (words.startsWith('http')) return false
      const known = optionsOfCommand(words)
      const names = [...options.matchAll(/--([a-z-]+)/g)].map(([, option = '']) => option)
      return !known || names.some((option) => option !== 'json' && !known.includes(option))
    })
    expect(wrong.map(([call]) => call)).toEqual([])
  })

  test('names only environment variables that exist', () => {
    const names = [...text.matchAll(/LECTERN_[A-Z0-9_]+/g)].map(([name]) => name)
    const wrong = names.filter((name) => {
      if (variables.has(name)) return false
      return !(/^LECTERN_(?:TEST|BENCH)_/.test(name) || otherVariables.has(name)) || !isWordOfSources(name)
    })
    expect(wrong).toEqual([])
  })

  test('names only tools, codes and fields that exist', () => {
    const names = spans.filter((span) => /^([a-z]+(_[a-z]+)+|[A-Z]+(_[A-Z]+)+|[a-z]+([A-Z][a-z]+)+)(\(\))?$/.test(span))
    expect(names.filter((name) => !isWordOfSources(name.replace('()', '')))).toEqual([])
  })

  test('names only addresses that exist', () => {
    const named = [...text.matchAll(/\b(?:GET|POST|PUT|PATCH|DELETE) `?(\/[\w/{}.-]+)/g)]
      .map(([, address = '']) => address.replace(/\.$/, ''))
      .map((address) => (address.startsWith('/api') ? address : `/api/v1${address}`))
    const pages = new Set(['/healthz', '/readyz', '/metrics', '/docs', '/opds'].map((page) => `/api/v1${page}`))
    expect(named.filter((address) => !addresses.has(address) && !pages.has(address))).toEqual([])
  })

  test('uses only words of the product', () => {
    expect(text).not.toMatch(/\/work\/|\.\.\/shared|\b(an|the) own\b|\bdoors?\b/)
  })
})
