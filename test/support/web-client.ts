import type { TestServer } from './server.ts'

export interface PageAnswer {
  status: number
  /** The HTML source of the page. */
  text: string
  headers: Headers
  /** The redirect target, without the server's own origin. */
  location: string | null
  /** The `Set-Cookie` values. */
  setCookies: string[]
}

/** A browser without JavaScript: it keeps cookies and submits forms, and follows no redirects. */
export interface WebClient {
  cookies: Map<string, string>
  get(path: string, headers?: Record<string, string>): Promise<PageAnswer>
  /** Sends exactly these fields. */
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<PageAnswer>
  /** Sends JSON, as the scripts of pages do. */
  postJson(path: string, body: object, headers?: Record<string, string>): Promise<PageAnswer>
  /** Opens a page, and submits its form for `action` with the form's hidden fields and these. */
  submit(page: string, action: string, fields: Fields): Promise<PageAnswer>
}

export type Fields = Record<string, string | readonly string[]>

/** A browser without JavaScript, optionally with existing cookies. */
export function webClient(server: Pick<TestServer, 'baseUrl'>, cookies = new Map<string, string>()): WebClient {
  const paths = new Map<string, string>()
  async function request(path: string, init: RequestInit): Promise<PageAnswer> {
    const headers = new Headers(init.headers)
    const { pathname } = new URL(path, server.baseUrl)
    const sent = [...cookies].filter(([name]) => pathname.startsWith(paths.get(name) ?? '/'))
    if (sent.length > 0) headers.set('Cookie', sent.map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(new URL(path, server.baseUrl), { ...init, headers, redirect: 'manual' })
    const setCookies = response.headers.getSetCookie()
    for (const line of setCookies) storeCookie({ cookies, paths }, line)
    const location = response.headers.get('location')?.replace(server.baseUrl, '') ?? null
    return { status: response.status, text: await response.text(), headers: response.headers, location, setCookies }
  }
  const client: WebClient = {
    cookies,
    get: (path, headers = {}) => request(path, { headers }),
    post: (path, fields, headers = {}) =>
      request(path, { method: 'POST', body: encodeForm(fields), headers: { Origin: server.baseUrl, ...headers } }),
    postJson: (path, body, headers = {}) =>
      request(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', Origin: server.baseUrl, ...headers },
      }),
    async submit(page, action, fields) {
      const { text } = await client.get(page)
      return client.post(action, { ...hiddenFields(text, action), ...fields })
    },
  }
  return client
}

/** Stores a cookie with the path that it was set for last. */
function storeCookie({ cookies, paths }: Record<'cookies' | 'paths', Map<string, string>>, line: string): void {
  const [pair = ''] = line.split(';')
  const [name = '', value = ''] = pair.split('=')
  if (/Max-Age=0|expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name)
  else cookies.set(name, value)
  paths.set(name, /path=([^;]*)/i.exec(line)?.[1] ?? '/')
}

function encodeForm(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as [string, string])),
  )
}

/** The hidden fields of the last form for `action` on a page. */
export function hiddenFields(page: string, action: string): Record<string, string> {
  const forms = page.match(/<form\b[\s\S]*?<\/form>/g) ?? []
  const form = forms.findLast((source) => source.includes(`action="${action}"`)) ?? ''
  if (form === '') throw new Error(`There is no form to ${action} on the page:\n${page}`)
  const inputs = form.match(/<input\b[^>]*type="hidden"[^>]*>/g) ?? []
  return Object.fromEntries(
    inputs.map((source) => [attribute(source, 'name'), attribute(source, 'value')] as [string, string]),
  )
}

function attribute(source: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(source)?.[1] ?? ''
  return value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}
