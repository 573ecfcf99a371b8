/** Masks an address except for its first letter and its domain: `a***@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${firstLetter(email)}***${at < 0 ? '' : email.slice(at)}`
}

/** A name for viewers who may not see the address: a name that repeats the address is masked too. */
export function maskName(name: string, email: string): string {
  const given = name.trim().toLowerCase()
  const local = email.slice(0, Math.max(0, email.lastIndexOf('@')))
  return given === local || given === email ? `${firstLetter(email)}***` : name
}

function firstLetter(email: string): string {
  return [...email][0] ?? ''
}
