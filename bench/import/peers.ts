import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const options = { encoding: 'utf8', maxBuffer: 1024 ** 3, timeout: 180_000 } as const

/** The text of a PDF by mutool (Debian: mupdf-tools); null if it is not installed or fails. */
export function mutoolText(file: string): string | null {
  const { status, stdout } = spawnSync('mutool', ['draw', '-q', '-F', 'txt', '-o', '-', file], options)
  return status === 0 ? stdout : null
}

/** The Markdown of each page by pymupdf4llm (PyPI); null without a Python that has it, or if it fails. */
export function pymupdf4llmPages(python: string | undefined, file: string): string[] | null {
  return runPython(python, 'pymupdf4llm-pages.py', file) as string[] | null
}

/** The lines of code of each page by their fonts, read with PyMuPDF; null without a Python that has it. */
export function codeLinesOf(python: string | undefined, file: string): string[][] | null {
  return runPython(python, 'code-lines.py', file) as string[][] | null
}

function runPython(python: string | undefined, script: string, file: string): unknown {
  if (python === undefined) return null
  const { status, stdout } = spawnSync(python, [join(import.meta.dirname, script), file], options)
  return status === 0 ? JSON.parse(stdout) : null
}
