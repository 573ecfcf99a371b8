import { personalRules } from './personal-rules.ts'
import type { Rule } from './redaction-rule.ts'
import { secretRules } from './secret-rules.ts'

/** Secrets first, because parts of a key may look like a number. */
const rules: readonly Rule[] = [...secretRules, ...personalRules]

/**
 * Replaces email addresses, phone and card numbers, keys, tokens and passwords by their kind, such as `[email]`.
 * Idempotent. A text in which such data is disguised with invisible characters or with other forms of the same letters
 * and digits is normalized (Unicode NFKC); other texts are not.
 */
export function redact(text: string): string {
  const normalized = normalizeForRedaction(text)
  const redacted = applyRules(normalized)
  return applyRules(redacted === normalized ? text : redacted)
}

function applyRules(text: string): string {
  // A replacement may expose the next match, such as the port after a password or the words around a key.
  for (let before = ''; before !== text;) {
    before = text
    for (const rule of rules) text = applyRule(text, rule)
  }
  return text
}

function applyRule(text: string, { pattern, replacement, length }: Rule): string {
  let output = ''
  let copiedUpTo = 0
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [found] = match
    const size = length ? length(found, text.slice(match.index)) : found.length
    if (size === 0) {
      pattern.lastIndex = match.index + 1
      continue
    }
    output += text.slice(copiedUpTo, match.index) + replacement
    copiedUpTo = match.index + size
    pattern.lastIndex = copiedUpTo
  }
  return output + text.slice(copiedUpTo)
}

/** The code points of the digit zero in scripts that NFKC keeps: Arabic, Persian, Devanagari, Bengali and Thai. */
const digitZeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50]

function normalizeForRedaction(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[٠-٩۰-۹०-९০-৯๐-๙]/g, (digit) => {
      const code = digit.charCodeAt(0)
      return String(code - (digitZeros.findLast((zero) => zero <= code) ?? code))
    })
}
