import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { generateApiKey } from '../../src/accounts/api-key.ts'

/** Runs statements with a log in a new process; returns its stderr. */
async function logOf(statements: string): Promise<string> {
  const source = `import { createLog } from ${JSON.stringify(new URL('../../src/app/log.ts', import.meta.url).href)}
    const log = createLog('debug')
    ${statements}`
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source])
  return stderr
}

test('the log redacts keys, tokens and passwords in errors and fields', async () => {
  const keys = [generateApiKey(), generateApiKey('ck'), `ck_oauth_${'x'.repeat(43)}`]
  const password = 'hunter2-hunter2'
  const text = `failed for ${keys.join(' and ')} at mongodb://user:${password}@host/db`
  const written = await logOf(`
    log.error({ err: new Error(${JSON.stringify(text)}, { cause: new Error(${JSON.stringify(keys[0])}) }) }, 'one')
    log.info({ authorization: ${JSON.stringify(keys[0])}, headers: { cookie: ${JSON.stringify(password)} } }, 'two')
    log.info({ key: ${JSON.stringify(keys[1])}, token: ${JSON.stringify(keys[2])}, password: ${JSON.stringify(password)} }, 'three')
  `)
  for (const secret of [...keys, password]) expect(written).not.toContain(secret)
  expect(
    written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg),
  ).toEqual(['one', 'two', 'three'])
  expect(written).toContain('failed for')
})

test('a log level hides the levels below it', async () => {
  const written = await logOf(`log.debug({}, 'shown'); createLog('warn').info({}, 'hidden')`)
  expect(written).toContain('shown')
  expect(written).not.toContain('hidden')
})

test('logged text stays within its line, which is JSON with the time in UTC', async () => {
  const forged = 'x\n{"level":"info","msg":"forged"}\r\n\u001b[2K\u2028"}'
  const written = await logOf(`
    log.info({ route: ${JSON.stringify(forged)}, err: new Error(${JSON.stringify(forged)}) }, ${JSON.stringify(forged)})
    log.info({}, 'next')
  `)
  const lines = written.trim().split('\n')
  expect(lines).toHaveLength(2)
  const [first, next] = lines.map((line) => JSON.parse(line))
  expect(first).toMatchObject({ msg: forged, route: forged, err: { message: forged } })
  expect(next.msg).toBe('next')
  for (const { time } of [first, next]) expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  // eslint-disable-next-line no-control-regex
  expect(written.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f]/)
})

test('on a terminal the log is readable lines; only a defect has a stack', async () => {
  const written = await logOf(`
    const terminal = createLog('info', true)
    const cause = new Error('connection lost')
    terminal.warn({ err: new Error('no answer', { cause }), jobId: 'j1', title: 'Two words' }, 'import failed')
    terminal.error({ err: new TypeError('x is not a function'), token: 'do-not-print' }, 'internal error')
    terminal.warn({ route: 'a\\u001b[2Jb' }, 'two\\nlines')
  `)
  const [warning, error, ...stack] = written.trimEnd().split('\n')
  expect(warning).toMatch(
    /^\d\d:\d\d:\d\d warn {2}import failed: no answer: connection lost jobId=j1 title="Two words"$/,
  )
  expect(error).toMatch(/^\d\d:\d\d:\d\d error internal error: x is not a function token="?\[Redacted\]"?$/)
  expect(stack[0]).toBe('    TypeError: x is not a function')
  expect(stack[1]).toMatch(/^ {4}at /)
  expect(written).not.toContain('do-not-print')
  expect(stack.at(-1)).toMatch(/^\d\d:\d\d:\d\d warn {2}two\\nlines route=a\\u001b\[2Jb$/)
})

test.for([
  ['warn', false],
  ['debug', true],
] as const)(
  'at the level %s, an outage or a full disk of the store is logged with its stack: %s',
  async ([level, hasStack]) => {
    const written = await logOf(`
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const outage = Object.assign(new Error('no server', { cause }), { name: 'MongoServerSelectionError' })
    createLog('${level}').warn({ err: outage, code: 'UNAVAILABLE' }, 'request refused')
    const full = Object.assign(new Error('disk is full'), { name: 'MongoServerError', code: 14031 })
    createLog('${level}').warn({ err: full }, 'request refused')
    createLog('${level}').warn({ err: new Error('a defect', { cause: outage }) }, 'failed')
  `)
    const [refused, withoutSpace, failed] = written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(refused).toMatchObject({ err: { message: 'no server', cause: { code: 'ECONNREFUSED' } } })
    expect('stack' in refused.err).toBe(hasStack)
    expect('stack' in refused.err.cause).toBe(hasStack)
    expect('stack' in withoutSpace.err).toBe(hasStack)
    expect(failed.err).toMatchObject({ stack: expect.stringContaining('a defect') })
  },
)
