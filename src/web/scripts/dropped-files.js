// @ts-check
/**
 * The files that the user chose or dropped, including the contents of folders.
 *
 * @typedef {{ files: File[], leftOut: number }} Chosen Books, and the number of other files in the same folders.
 */

import { typeOfFile } from './file-types.js'

/**
 * The paths of dropped files, which the browser gives only of chosen ones.
 * @type {WeakMap<File, string>}
 */
const paths = new WeakMap()

/**
 * The names of the folders that contain each file. The folder that contains all files is left out, except for those
 * directly in it.
 * @param {readonly File[]} files
 * @returns {Map<File, string[]>}
 */
export function foldersOf(files) {
  const all = files.map((file) => (paths.get(file) ?? file.webkitRelativePath).split('/').filter(Boolean).slice(0, -1))
  const isOneFolder = all.every(([top]) => top === all[0]?.[0])
  return new Map(files.map((file, at) => [file, all[at]?.slice(isOneFolder && all[at].length > 1 ? 1 : 0) ?? []]))
}

/** @param {string} name */
export function isBook(name) {
  return typeOfFile(name) !== null
}

/**
 * @param {HTMLInputElement} input
 * @returns {Chosen}
 */
export function filesOfInput(input) {
  const files = [...(input.files ?? [])]
  return input.webkitdirectory ? filterBooks(files) : { files, leftOut: 0 }
}

/**
 * @param {DataTransfer} dropped
 * @returns {Promise<Chosen>}
 */
export async function filesOfDrop(dropped) {
  // The entries become invalid at the first `await` of this function.
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry?.() ?? null)
  if (entries.every((entry) => entry === null)) return { files: [...dropped.files], leftOut: 0 }
  /** @type {Chosen} */
  const chosen = { files: [], leftOut: 0 }
  for (const entry of entries) {
    if (!entry) continue
    if (entry.isFile) chosen.files.push(await fileOf(entry))
    else await collect(entry, chosen)
  }
  return chosen
}

/**
 * @param {any} folder
 * @param {Chosen} chosen
 */
async function collect(folder, chosen) {
  const reader = folder.createReader()
  for (;;) {
    // Returns up to a hundred entries per call, until none is left.
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))
    if (entries.length === 0) return
    for (const entry of entries) {
      if (isIgnored(entry.name)) continue
      if (entry.isDirectory) await collect(entry, chosen)
      else if (isBook(entry.name)) chosen.files.push(await fileOf(entry))
      else chosen.leftOut += 1
    }
  }
}

/**
 * @param {any} entry
 * @returns {Promise<File>}
 */
async function fileOf(entry) {
  const file = await new Promise((resolve, reject) => entry.file(resolve, reject))
  paths.set(file, entry.fullPath)
  return file
}

/** @param {readonly File[]} files */
function filterBooks(files) {
  // The first name is that of the chosen folder itself.
  const visible = files.filter(({ webkitRelativePath }) => !webkitRelativePath.split('/').slice(1).some(isIgnored))
  const books = visible.filter(({ name }) => isBook(name))
  return { files: books, leftOut: visible.length - books.length }
}

/**
 * True for hidden files and folders, and those that programs add, which nobody has chosen: `.DS_Store`, `._Book.pdf` and
 * `__MACOSX` of a Mac, `~$Letter.docx` of Word.
 * @param {string} name
 */
function isIgnored(name) {
  return name.startsWith('.') || name.startsWith('~$') || name === '__MACOSX'
}
