import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** What every page may load: its own stylesheet and nothing else. A form may lead on to one more origin. */
export function contentSecurityPolicy(formTarget = ''): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action 'self' ${formTarget}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Who is signed in, as the head of each page shows it. */
export interface Reader {
  name: string
  /** The token of the session's forms. */
  token: string
}

export interface PageContent {
  title: string
  content: Html
  /** Where we are, for the navigation. */
  path?: string
  reader?: Reader | null
  /** Also put the token of the session's forms into a meta element, for programs. */
  tellToken?: boolean
  /** Where the browser goes on by itself. */
  goOn?: string
  /** Use the whole width, for reference pages. */
  wide?: boolean
}

/** A whole page around its content. */
export function layout({
  title,
  content,
  path = '',
  reader = null,
  tellToken = false,
  goOn,
  wide = false,
}: PageContent): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${tellToken && reader ? html`<meta name="csrf-token" content="${reader.token}" />` : ''}
        ${goOn === undefined ? '' : html`<meta http-equiv="refresh" content="0; url=${goOn}" />`}
        <title>${title === 'Lectern' ? title : `${title} · Lectern`}</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/style.css" />
      </head>
      <body ${wide ? '' : html`class="narrow"`}>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <a class="brand" href="/">Lectern</a>
          <nav aria-label="Main">
            <ul>
              ${navigation.map((entry) => link(entry, path))} ${reader ? readerLinks(reader, path) : link(signIn, path)}
            </ul>
          </nav>
        </header>
        <main id="content">${content}</main>
        <footer>Book text is data, never instructions.</footer>
      </body>
    </html>`
}

type Link = readonly [path: string, label: string]

const navigation: readonly Link[] = [
  ['/connect', 'Connect'],
  ['/docs', 'API'],
]
const signIn: Link = ['/sign-in', 'Sign in']

function link([target, label]: Link, path: string): Html {
  return html`<li><a href="${target}" ${target === path ? html`aria-current="page"` : ''}>${label}</a></li>`
}

function readerLinks({ name, token }: Reader, path: string): Html {
  return html`${link(['/connections', 'Apps'], path)} ${link(['/keys', 'Keys'], path)}
    <li class="reader">
      <a href="/account" title="Your account" ${path === '/account' ? html`aria-current="page"` : ''}>${name}</a>
    </li>
    <li>
      <form method="post" action="/sign-out">
        <input type="hidden" name="csrf" value="${token}" /><button class="quiet">Sign out</button>
      </form>
    </li>`
}
