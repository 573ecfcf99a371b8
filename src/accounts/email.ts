import { domainToUnicode } from 'node:url'
import freeMailDomains from 'email-providers/all.json' with { type: 'json' }

const freeMail = new Set<string>(freeMailDomains)

/** The domain of an address in lower case; null if it has none. */
export function emailDomain(email: string): string | null {
  const at = email.lastIndexOf('@')
  const domain = at < 0 ? '' : email.slice(at + 1).toLowerCase()
  return domain === '' ? null : domain
}

/** `personal` for an address of a free-mail provider or without a domain, otherwise `work`. */
export function emailKind(email: string): 'personal' | 'work' {
  const domain = emailDomain(email)
  return domain === null || freeMail.has(domain) || freeMail.has(domainToUnicode(domain)) ? 'personal' : 'work'
}
