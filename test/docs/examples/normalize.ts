/** The beginning of recorded URLs. The document replaces it with the URL of its server. */
const recordedBaseUrl = 'https://lectern.invalid'

const baseTime = Date.parse('2026-03-02T10:00:00.000Z')
const dayMs = 24 * 60 * 60_000

/** Values that differ in each recording and must not appear in it: URLs, ids, tokens, times. */
export interface Normalizer {
  /** Replaces all varying values in a value, and truncates long ones. */
  stable(value: unknown): unknown
}

/** Replaces values that differ between recordings. The same id gets the same replacement everywhere. */
export function createNormalizer({ baseUrl, startedAt }: { baseUrl: string; startedAt: number }): Normalizer {
  const ids = new Map<string, string>()
  const idPrefix = startedAt.toString(36).padStart(9, '0').slice(0, 4)
  const stableId = (id: string) => {
    if (!id.startsWith(idPrefix)) return id
    const known =
      ids.get(id) ?? `${baseTime.toString(36).padStart(9, '0')}example${String(ids.size + 1).padStart(10, '0')}`
    ids.set(id, known)
    return known
  }
  const stableTime = (text: string) => {
    const offset = Date.parse(text) - startedAt
    if (Math.abs(offset) < 10 * 60_000) return new Date(baseTime).toISOString()
    // Monthly reads start again with each month, so their number depends on the date of the recording.
    if (text.endsWith('-01T00:00:00.000Z')) return '2026-04-01T00:00:00.000Z'
    return new Date(baseTime + Math.round(offset / 60_000) * 60_000).toISOString()
  }
  const stableDay = (written: string, reset: string | undefined, text: string) => {
    if (reset !== undefined) return `${reset}2026-04-01`
    const days = Math.round((Date.parse(text) - Date.parse(new Date(startedAt).toISOString().slice(0, 10))) / dayMs)
    return Math.abs(days) > 400 ? written : new Date(baseTime + days * dayMs).toISOString().slice(0, 10)
  }
  const stableText = (text: string) =>
    text
      .replaceAll(baseUrl, recordedBaseUrl)
      .replaceAll(/(?<=\/upload\/blob\/)[\w.~-]+/g, 'SIGNED')
      .replaceAll(/(?<=\/invites?\/)[\w-]{16,}/g, 'INVITATION')
      .replaceAll(/\b[0-9a-z]{26}[\w-]{43}/g, 'INVITATION')
      .replaceAll(/\blectern_[0-9A-Za-z]{20,}/g, 'lectern_YOURKEY')
      // The ids of memberships are digests.
      .replaceAll(/\b[0-9a-f]{24}\b/g, '0123456789abcdef01234567')
      .replaceAll(/\b[0-9a-z]{26}\b/g, stableId)
      // The revision in the id of a page.
      .replaceAll(/(?<=:)[0-9a-z]{12}(?=:\d{6}\b)/g, '0000revision')
      .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, stableTime)
      .replaceAll(/(resets on )?\b(\d{4}-\d\d-\d\d)\b(?!T)/g, stableDay)
      .replaceAll(/\b\d+(?=s\b)/g, '30')
  const stable = (value: unknown): unknown => {
    if (typeof value === 'string') return cutText(stableText(value))
    if (Array.isArray(value)) return value.slice(0, 2).map(stable)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        key === 'retryAfterSeconds' ? [key, Math.min(Number(inner), 30)] : [key, stable(inner)],
      ),
    )
  }
  return { stable }
}

const maxTextLength = 400

function cutText(text: string): string {
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}…`
}
