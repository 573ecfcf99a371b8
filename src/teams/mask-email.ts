/** An address of which only the first letter and the domain can be told, such as `a***@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${firstLetter(email)}***${at < 0 ? '' : email.slice(at)}`
}

/** A name for those who may not see the address: one that was made of the address is masked with it. */
export function maskName(name: string, email: string): string {
  const given = name.trim().toLowerCase()
  const local = email.slice(0, Math.max(0, email.lastIndexOf('@')))
  return given === local || given === email ? `${firstLetter(email)}***` : name
}

function firstLetter(email: string): string {
  return [...email][0] ?? ''
}
