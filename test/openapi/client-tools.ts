import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { SystemNeed } from '../support/system-needs.ts'

/** The folder with the tools that `.ci/run` installs; see docs/testing.md. */
const folder = process.env['LECTERN_TEST_OPENAPI_TOOLS'] ?? ''

/** A program of that folder. */
export const toolPath = (...parts: string[]): string => join(folder, ...parts)

const npmTool = (name: string) => toolPath('npm', 'node_modules', '.bin', name)
export const redocly = npmTool('redocly')
export const spectral = npmTool('spectral')
export const openapiTypescript = npmTool('openapi-typescript')
export const typescript = npmTool('tsc')
export const oapiCodegen = toolPath('go', 'bin', 'oapi-codegen')
export const python = toolPath('python', 'bin', 'python')
export const openapiPythonClient = toolPath('python', 'bin', 'openapi-python-client')

const remedy = 'needs LECTERN_TEST_OPENAPI_TOOLS, a folder made by test/openapi/install-tools.sh'

/** The tools that are installed and work. */
export function needOf(...programs: string[]): SystemNeed {
  return { present: folder !== '' && programs.every(runs), remedy }
}

function runs(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
