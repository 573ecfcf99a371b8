import { FileStoreError } from './store.ts'

// A name begins with a letter or digit, so no key reaches `..`, a hidden file or the store's own `.tmp`;
// it does not end in a dot, which some file systems drop.
const namePattern = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9_-])?$/

/** Whether `key` is names of `[a-z0-9._-]` (1 to 128 characters) joined by `/`, at most 512 characters, without `..`. */
export function isKey(key: string): boolean {
  if (key.length > 512 || key.includes('..')) return false
  return key.split('/').every((part) => part.length <= 128 && namePattern.test(part))
}

/** Gives back `key`, or throws `INVALID_KEY`. The text of a refused key is not repeated. */
export function requireKey(key: string): string {
  if (isKey(key)) return key
  throw new FileStoreError('INVALID_KEY', 'A file key is names of a-z, 0-9, ".", "_" and "-" joined by "/".')
}

/** Gives back `prefix` when some key can begin with it, or throws `INVALID_KEY`. */
export function requirePrefix(prefix: string): string {
  // Any such prefix becomes a key with one more letter behind it.
  if (prefix !== '') requireKey(`${prefix}a`)
  return prefix
}
