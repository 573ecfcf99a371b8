import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, test } from 'vitest'
import { chromium, type Browser } from 'playwright-core'
import { networkIsolation } from '../../src/imports/extract/confinement.ts'

/** A dependency of a suite other than Node. */
export interface SystemNeed {
  present: boolean
  /** How to install it. */
  remedy: string
}

/** Debian's Chromium, or the one in `CHROMIUM_PATH`. */
const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'

/** The headless version of the same browser, which costs half as much; Chromium itself if it is not installed. */
const shellPath = '/usr/bin/chromium-headless-shell'
const headlessPath = !process.env['CHROMIUM_PATH'] && existsSync(shellPath) ? shellPath : chromiumPath

export const chromiumNeed: SystemNeed = {
  present: existsSync(chromiumPath),
  remedy: 'needs Chromium: apt-get install chromium, or set CHROMIUM_PATH',
}

/** The programs `pdfinfo` and `pdftohtml`. */
export const popplerNeed: SystemNeed = {
  present: runs('pdfinfo', '-v') && runs('pdftohtml', '-v'),
  remedy: 'needs poppler: apt-get install poppler-utils',
}

/** Tesseract with English and its orientation model. */
export const tesseractNeed: SystemNeed = {
  present: lists('tesseract', '--list-langs', ['eng', 'osd']) && runs('prlimit', '--version'),
  remedy: 'needs Tesseract: apt-get install tesseract-ocr',
}

/** The programs in the examples of the reference. */
export const curlNeed: SystemNeed = {
  present: runs('curl', '--version') && runs('jq', '--version') && runs('bash', '--version'),
  remedy: 'needs bash, curl and jq: apt-get install curl jq',
}

/** Network namespaces, which many containers forbid. */
export const networkIsolationNeed: SystemNeed = {
  present: networkIsolation() !== null,
  remedy: 'needs `unshare` and the right to make a network namespace',
}

function runs(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function lists(program: string, argument: string, names: readonly string[]): boolean {
  try {
    const lines = execFileSync(program, [argument], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split(
      '\n',
    )
    return names.every((name) => lines.includes(name))
  } catch {
    return false
  }
}

/** `describe`, skipped if something is missing; then a skipped test names the dependency. */
export function describeWith(need: SystemNeed): typeof describe | typeof describe.skip {
  if (need.present) return describe
  reportMissing(need)
  return describe.skip
}

/** `test`, skipped if something is missing; then another skipped test names the dependency. */
export function testWith(need: SystemNeed): typeof test | typeof test.skip {
  if (need.present) return test
  reportMissing(need)
  return test.skip
}

function reportMissing({ remedy }: SystemNeed): void {
  test('the tests of this file that need more than Node', ({ skip }) => skip(remedy))
}

/** Software rendering costs less than an emulated graphics card. */
const noGpu = ['--disable-gpu', '--disable-software-rasterizer', '--disable-gpu-rasterization']

/** A page runs its scripts for a moment: the optimising compilers take more processor time than they save. */
const noOptimisation = '--js-flags=--no-turbofan --no-maglev'

/**
 * Starts a browser without a sandbox, which root cannot use, and without background requests. One with windows has
 * their gestures, transitions and rendering.
 */
export async function launchBrowser({ windows = false } = {}): Promise<Browser> {
  const quiet = ['--disable-quic', '--disable-background-networking', '--disable-extensions']
  const args = ['--no-sandbox', ...quiet, ...noGpu, noOptimisation]
  const browser = await chromium.launch({ executablePath: windows ? chromiumPath : headlessPath, args })
  const newContext = browser.newContext.bind(browser)
  // During a page transition, the browser loses clicks and touches, so a test that waited for the page would still be
  // too early.
  browser.newContext = (options) => newContext({ reducedMotion: 'reduce', ...options })
  return browser
}
