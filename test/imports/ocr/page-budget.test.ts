import { chmod, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/ocr/run-tesseract.ts'
import { openRecogniser } from '../../../src/imports/ocr/recogniser.ts'
import { createTemporaryFolder } from '../../support/extraction.ts'
import { proseScan } from '../../support/recognition.ts'
import { describeWith, tesseractNeed } from '../../support/system-needs.ts'

/** A word that nobody can be sure of. */
const unclear = ['5', '1', '1', '1', '1', '1', '100', '54', '46', '36', '35', 'illegible'].join('\\t')

/**
 * A program in place of Tesseract to which every page is unclear, and that takes some seconds of processor time for each
 * attempt. It leaves a folder for each attempt, because it cannot write files.
 */
const slowProgram = `#!/bin/sh
case "$*" in
  *--list-langs*) printf 'eng\\ndeu\\nfra\\nspa\\nosd\\n'; exit;;
  *'--psm 0'*) printf 'Rotate: 0\\nOrientation confidence: 0.5\\nScript: Latin\\n'; exit;;
esac
cat > /dev/null
mkdir FOLDER/attempt-$$
ticks() { read -r stat < /proc/$$/stat; set -- \${stat##*) }; used=$((\${12} + \${13})); }
while ticks; [ $used -lt SECONDS00 ]; do :; done
printf '${unclear}\\n'
`

/** The text of an unclear page, and the number of attempts to read it. */
async function readUnclear(seconds: number, maxCpuSeconds: number) {
  const folder = await createTemporaryFolder()
  const program = join(folder, 'tesseract')
  await writeFile(program, slowProgram.replaceAll('FOLDER', folder).replace('SECONDS', String(seconds)))
  await chmod(program, 0o755)
  const recogniser = await openRecogniser({ program, limits: { ...defaultLimits, maxCpuSeconds } })
  if (typeof recogniser === 'string') throw new Error('the program was not found')
  onTestFinished(() => recogniser.close())
  const bytes = await proseScan([['A page that nobody can read.']])
  const read = async function* () {
    yield bytes
  }
  const file = { name: 'scan', bytes: bytes.length, read }
  const text = await recogniser.read({ file, accountId: 'reader', page: 1, language: null, named: null })
  const attempts = (await readdir(folder)).filter((name) => name.startsWith('attempt-'))
  return { text, attempts: attempts.length }
}

describeWith(tesseractNeed)('a page that is unclear in every position and language', { timeout: 120_000 }, () => {
  test('is tried in all of them while that takes little processor time', async () => {
    const { attempts } = await readUnclear(0, 90)
    expect(attempts).toBeGreaterThan(5)
  })

  test('is given up when its attempts have used the processor time of a page, with what was read', async () => {
    const { text, attempts } = await readUnclear(2, 7)
    expect(attempts).toBeLessThanOrEqual(4)
    expect(text.content).toBe('illegible')
  })
})
