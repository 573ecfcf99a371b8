#!/usr/bin/env node
// The `lectern` command. It is compatible with every version of Node, so that an old one gets a helpful message in
// place of a syntax error.
'use strict'

const { existsSync, statSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join, resolve } = require('node:path')
const { pathToFileURL } = require('node:url')

const neededNode = 24
const root = join(__dirname, '..')
const sources = join(root, 'src', 'admin', 'main.ts')
// A clone runs the sources, a package a bundle of the compiled files.
const isClone = existsSync(sources)
const problem = findProblem()

if (problem === null) {
  useCompileCache()
  void import(pathToFileURL(isClone ? sources : join(root, 'bundle', 'main.js')).href)
} else {
  process.stderr.write(`Lectern cannot start: ${problem}\n`)
  process.exitCode = 1
}

/** Describes what is missing and how to get it; null if nothing is. */
function findProblem() {
  if (Number(process.versions.node.split('.')[0]) < neededNode) {
    return `it needs Node ${neededNode} or newer, and this is Node ${process.versions.node}. ${nodeRemedy()}`
  }
  try {
    require.resolve('zod', { paths: [root] })
    return null
  } catch {
    return `its packages are not installed. Run \`${isClone ? 'npm ci' : 'npm install'}\` in ${root}.`
  }
}

/** Says where to find a Node that is new enough: npm puts the one of the installed packages first in `PATH`. */
function nodeRemedy() {
  if (!isClone) return 'Get one from https://nodejs.org.'
  return existsSync(join(root, 'node_modules', '.bin', 'node'))
    ? `The packages include one, which npm uses: run \`npm run --silent lectern -- COMMAND\` in ${root}.`
    : '`npm ci` brings one along, unless it was told to leave out scripts or development packages.'
}

/**
 * Uses the compile cache that a server has created in the data directory. Before the first module in TypeScript, because
 * the removal of its types costs more processor time than many commands. Node trusts cached code, so the directory must
 * belong to this user and be writable by no other. It must be named or be that of this clone, because any other current
 * folder may be a download of this user, with a `data` of somebody else.
 */
function useCompileCache() {
  // `lectern start` creates the cache of another directory.
  if (process.argv.some((argument) => argument.startsWith('--data-dir'))) return
  const named = process.env.LECTERN_DATA_DIR
  if (!named && process.cwd() !== root) return
  const directory = resolve(named || 'data')
  const cache = join(directory, 'compiled')
  try {
    const { mode, uid } = statSync(directory)
    const isOwn = process.platform === 'win32' || (uid === process.getuid() && (mode & 0o022) === 0)
    if (!isOwn || !existsSync(cache)) return
    // Worker threads read this variable.
    process.env.NODE_COMPILE_CACHE ??= cache
    enableCompileCache(process.env.NODE_COMPILE_CACHE)
  } catch {
    // There is no library here.
  }
}
