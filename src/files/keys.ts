import { FileStoreError } from './store.ts'

// A name starts with a letter or digit, so that no key reaches `..`, a hidden file or the store's own `.tmp`. It does
// not end in a dot, which some file systems drop.
const namePattern = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9_-])?$/

/**
 * True for a valid key: names of `[a-z0-9._-]` (1 to 128 characters) joined by `/`, at most 512 characters, without
 * `..`.
 */
export function isKey(key: string): boolean {
  if (key.length > 512 || key.includes('..')) return false
  return key.split('/').every((part) => part.length <= 128 && namePattern.test(part))
}

/** Returns `key` or throws `INVALID_KEY`. The error does not quote the key. */
export function requireKey(key: string): string {
  if (isKey(key)) return key
  throw new FileStoreError(
    'INVALID_KEY',
    'A file key must consist of names of a-z, 0-9, ".", "_" and "-", joined by "/".',
  )
}

/** Returns `prefix` if a key can start with it; otherwise throws `INVALID_KEY`. */
export function requirePrefix(prefix: string): string {
  // Such a prefix becomes a key when a letter is appended.
  if (prefix !== '') requireKey(`${prefix}a`)
  return prefix
}
