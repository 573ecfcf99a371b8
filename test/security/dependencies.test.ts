import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../docs/read-documents.ts'

interface LockedPackage {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  hasInstallScript?: boolean
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>
}
const locked = Object.entries(packages).filter(([path]) => path !== '')
const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  allowScripts: Record<string, boolean>
}

describe('the packages that are installed', () => {
  test('are all pinned by version and checksum', () => {
    expect(locked.length).toBeGreaterThan(100)
    const unknown = locked.filter(([, { version, integrity = '' }]) => !version || !integrity.startsWith('sha512-'))
    expect(unknown.map(([path]) => path)).toEqual([])
  })

  test('come only from the configured npm registry, not from another URL, repository or folder', () => {
    const elsewhere = locked.filter(([, { resolved, link }]) => link || resolved !== undefined)
    expect(elsewhere.map(([path]) => path)).toEqual([])
  })

  test('run no install scripts, except Node itself', () => {
    const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
    expect(withScript.map(([path]) => path)).toEqual(['node_modules/node'])
    expect(allowScripts).toEqual({ node: true })
  })
})
