import { html } from 'hono/html'
import { version } from '../../core/version.ts'
import { assetUrl } from '../design/assets.ts'
import type { Html } from './html.ts'
import { icon, type IconName } from './icon.ts'
import { menu } from './menu.ts'
import { unreadText } from './unread-count.ts'

/**
 * The Content-Security-Policy of every page: styles, scripts, fonts and pictures from this server only, nothing inline;
 * forms may redirect to one further origin.
 */
export function contentSecurityPolicy(formTarget = ''): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "script-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    `form-action 'self' ${formTarget}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The signed-in account, as shown in the header of each page. */
export interface PageUser {
  name: string
  /** The session's CSRF token. */
  csrfToken: string
  isAdministrator: boolean
  /** Unread notifications, counted up to 100. */
  unread: number
  /** False if the keys j, k and / do nothing on pages. */
  singleKeys: boolean
}

export interface PageContent {
  title: string
  content: Html
  /** Path of the current page, for the navigation. */
  currentPath?: string
  user?: PageUser | null
  /** True to also put the session's CSRF token into a meta element, for programs and scripts. */
  exposeCsrfToken?: boolean
  /** URL to which the browser is redirected automatically. */
  redirectTo?: string
  /** Width of the content: for text, for tables and covers, or unlimited. Default: text. */
  width?: 'text' | 'wide' | 'full'
  /** Names of modules in `scripts`, without `.js`. */
  scripts?: readonly string[]
  /** Classes of the root element, such as the reader's themes. */
  rootClass?: string
}

/** Renders a whole page around its content. */
export function layout(page: PageContent): Html {
  const { title, content, currentPath = '', user = null, width = 'text' } = page
  const rootClass = [page.rootClass ?? [], user?.singleKeys === false ? 'keys-off' : []].flat().join(' ')
  return html`<!doctype html>
    <html lang="en" ${rootClass === '' ? '' : html`class="${rootClass}"`}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${page.exposeCsrfToken && user ? html`<meta name="csrf-token" content="${user.csrfToken}" />` : ''}
        ${page.redirectTo === undefined ? '' : html`<meta http-equiv="refresh" content="0; url=${page.redirectTo}" />`}
        <title>${title === 'Lectern' ? title : `${title} · Lectern`}</title>
        <link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assetUrl('style.css')}" />
        ${['frame', ...(page.scripts ?? [])].map((name) => html`<script type="module" src="${assetUrl(`${name}.js`)}"></script>`)}
      </head>
      <body class="${width}">
        <a class="skip" href="#content">Skip to content</a>
        <header class="frame-header">
          <a class="brand" href="/">${icon('library')}<span>Lectern</span></a>
          <nav aria-label="Main">
            <ul>
              ${(user ? signedInLinks : visitorLinks).map((entry) => link(entry, currentPath))}
            </ul>
          </nav>
          ${user ? userTools(user, currentPath) : ''}
        </header>
        <main id="content">${content}</main>
        ${footer(user !== null)}
      </body>
    </html>`
}

type Link = readonly [path: string, label: string]

const signedInLinks: readonly Link[] = [
  ['/', 'Library'],
  ['/teams', 'Teams'],
  ['/discover', 'Discover'],
  ['/connect', 'Connect'],
]
const visitorLinks: readonly Link[] = [
  ['/connect', 'Connect'],
  ['/docs', 'API'],
  ['/sign-in', 'Sign in'],
]

/** The paths that belong to each entry of the navigation. */
const sections: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    '/': /^\/(?:$|library|books|shelves|add|imports|search)/,
    '/teams': /^\/(?:teams|invites)/,
    '/discover': /^\/discover/,
    '/connect': /^\/connect$/,
    '/docs': /^\/docs/,
  }),
)

function link([target, label]: Link, currentPath: string): Html {
  const current = target === currentPath ? 'page' : sections.get(target)?.test(currentPath) ? 'true' : null
  return html`<li><a href="${target}" ${current === null ? '' : html`aria-current="${current}"`}>${label}</a></li>`
}

function userTools({ name, csrfToken, isAdministrator, unread }: PageUser, currentPath: string): Html {
  return html`<div class="frame-tools">
    <a class="tool" href="/search" title="Search" ${currentPath === '/search' ? html`aria-current="page"` : ''}
      >${icon('search')}<span class="hidden-text">Search</span></a
    >
    <a
      class="tool"
      href="/notifications"
      data-notifications
      ${currentPath === '/notifications' ? html`aria-current="page"` : ''}
      >${icon('bell')}<span class="hidden-text">Notifications</span>${
        unread === 0
          ? ''
          : html`<span class="count">${unreadText(unread)}<span class="hidden-text"> unread</span></span>`
      }</a
    >
    ${menu({
      label: html`${icon('user')}<span class="account-name">${name}</span>`,
      title: 'Your account',
      className: 'account-menu',
      content: html`<ul>
        ${accountLinks
          .filter(({ administrator }) => !administrator || isAdministrator)
          .map(
            ({ path, label, icon: iconName }) =>
              html`<li>
                <a href="${path}" ${path === currentPath ? html`aria-current="page"` : ''}>${icon(iconName)}${label}</a>
              </li>`,
          )}
        <li>
          <form method="post" action="/sign-out">
            <input type="hidden" name="csrf" value="${csrfToken}" /><button class="menu-item">
              ${icon('log-out')}Sign out
            </button>
          </form>
        </li>
      </ul>`,
    })}
  </div>`
}

interface AccountLink {
  path: string
  label: string
  icon: IconName
  administrator?: true
}

const accountLinks: readonly AccountLink[] = [
  { path: '/activity', label: 'Activity', icon: 'clock' },
  { path: '/account', label: 'Settings', icon: 'settings' },
  { path: '/keys', label: 'API keys', icon: 'key-round' },
  { path: '/connections', label: 'Connected apps', icon: 'plug' },
  { path: '/plans', label: 'Plan', icon: 'book' },
  { path: '/admin/server', label: 'Server', icon: 'monitor', administrator: true },
  { path: '/support', label: 'Reports', icon: 'mail', administrator: true },
  { path: '/admin/audit', label: 'Audit log', icon: 'shield', administrator: true },
]

function footer(signedIn: boolean): Html {
  return html`<footer class="frame-footer">
    <ul>
      <li>Lectern ${version}</li>
      <li><a href="/docs">API</a></li>
      ${signedIn ? html`<li><a href="/report">Report a problem</a></li>` : ''}
    </ul>
  </footer>`
}
