import { endsWithServer } from '../../../src/imports/extract/confinement.ts'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findConfinement, findProgram, runTesseract } from '../../../src/imports/ocr/run-tesseract.ts'
import { createTemporaryFolder } from '../../support/extraction.ts'
import { describeWith, networkIsolationNeed, tesseractNeed, testWith } from '../../support/system-needs.ts'

const limits = { maxMemoryBytes: 400_000_000, maxCpuSeconds: 20, timeoutMs: 20_000 }

describeWith(tesseractNeed)('the program that recognises text', { timeout: 60_000 }, () => {
  /** Runs a script in place of Tesseract. */
  const run = async (script: string, change: Partial<typeof limits> = {}, signal?: AbortSignal) => {
    const folder = await createTemporaryFolder()
    const program = join(folder, 'tesseract')
    await writeFile(program, `#!/bin/sh\n${script.replaceAll('FOLDER', folder)}\n`)
    await chmod(program, 0o755)
    const confinement = findConfinement()
    if (!confinement) throw new Error('prlimit is missing')
    const task = { task: 'words', picture: Buffer.from('a picture'), language: 'eng', layout: 'paragraphs' } as const
    const answer = runTesseract({ program, confinement, limits: { ...limits, ...change } }, task, signal)
    return { folder, answer }
  }

  test('gets the picture and a closed list of arguments, and an empty environment', async () => {
    process.env['LECTERN_TEST_WORD'] = 'secret'
    const { answer } = await run('cat; echo; echo "$@"; env | grep -c -E "^(LECTERN|HOME|NODE)" || true')
    expect(await answer).toBe('a picture\nstdin stdout --dpi 300 -l eng --psm 3 -c thresholding_method=2 tsv\n0\n')
  })

  test('has the lowest priority', async () => {
    const { answer } = await run('sleep 0.3; nice')
    expect(await answer).toBe('19\n')
  })

  test('cannot write a file', async () => {
    const { folder, answer } = await run('echo text > FOLDER/file')
    await expect(answer).rejects.toThrow('ended with')
    expect(
      existsSync(join(folder, 'file')) && (await import('node:fs')).statSync(join(folder, 'file')).size,
    ).toBeFalsy()
  })

  testWith(networkIsolationNeed)('has no network', async () => {
    const { answer } = await run('tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "; tail -n +2 /proc/net/route')
    expect((await answer).trim()).toBe('lo')
  })

  test('gets no privileges from programs that it starts', async () => {
    const { answer } = await run('grep NoNewPrivs /proc/self/status')
    expect(await answer).toBe(`NoNewPrivs:\t${endsWithServer().length > 0 ? 1 : 0}\n`)
  })

  test.for([
    ['takes more memory than it may', 'head -c 900000000 /dev/zero | tail', {}, /ended with/],
    ['takes more time than it may', 'exec sleep 60', { timeoutMs: 500 }, /not done after 500 ms/],
    [
      'takes more processor time than it may',
      'while :; do :; done',
      { maxCpuSeconds: 1, timeoutMs: 100_000 },
      /ended with/,
    ],
    ['writes without end', 'exec yes', {}, /more than 8388608 bytes/],
    ['fails', 'echo broken >&2; exit 1', {}, /ended with 1: broken/],
  ] as const)('is killed if it %s', { timeout: 120_000 }, async ([, script, change, message]) => {
    const { answer } = await run(script, change)
    await expect(answer).rejects.toThrow(message)
  })

  test('is killed with the call that needs it', async () => {
    const controller = new AbortController()
    const { folder, answer } = await run('sleep 1; exec cat FOLDER/tesseract', {}, controller.signal)
    setTimeout(() => controller.abort(new Error('the server stops')), 100)
    await expect(answer).rejects.toThrow('the server stops')
    expect(existsSync(folder)).toBe(true)
    await delay(10)
  })
})

test('a program is found on the path, or at its own path, and nowhere else', async () => {
  expect(findProgram('sh')).toMatch(/^\/.*\/sh$/)
  expect(findProgram('/bin/sh')).toBe('/bin/sh')
  expect(findProgram('no-such-program')).toBeNull()
  expect(findProgram('/etc/passwd')).toBeNull()
  expect(findProgram('tmp', '/')).toBeNull()
  expect(findProgram('sh', 'relative/folder')).toBeNull()
})
