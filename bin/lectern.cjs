#!/usr/bin/env node
// The `lectern` command. It is compatible with every version of Node, so that an old one gets a helpful message in
// place of a syntax error.
'use strict'

const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

const neededNode = 24
const root = join(__dirname, '..')
// A clone runs the sources, a package the compiled files.
const isClone = existsSync(join(root, 'src', 'admin', 'main.ts'))
const problem = findProblem()

if (problem === null) void import(pathToFileURL(join(root, 'src', 'admin', isClone ? 'main.ts' : 'main.js')).href)
else {
  process.stderr.write(`Lectern cannot start: ${problem}\n`)
  process.exitCode = 1
}

/** Describes what is missing and how to get it; null if nothing is. */
function findProblem() {
  if (Number(process.versions.node.split('.')[0]) < neededNode) {
    const remedy = isClone
      ? '`npm ci` brings one along, unless it was told to leave out scripts or development packages.'
      : 'Get one from https://nodejs.org.'
    return `it needs Node ${neededNode} or newer, and this is Node ${process.versions.node}. ${remedy}`
  }
  try {
    require.resolve('zod', { paths: [root] })
    return null
  } catch {
    return `its packages are not installed. Run \`${isClone ? 'npm ci' : 'npm install'}\` in ${root}.`
  }
}
