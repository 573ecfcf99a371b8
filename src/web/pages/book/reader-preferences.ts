import { html } from 'hono/html'
import {
  changeReadingPreferences,
  ReadingPreferences,
  readingPreferencesOf,
} from '../../../accounts/reading-preferences.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { menu } from '../../components/menu.ts'
import { parseForm, readSessionForm } from '../../form.ts'
import { safeNextUrl } from '../../next-url.ts'
import { redirect } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Mounts the form for reading preferences (type and colours); returns to the page that was being read. */
export function mountReaderPreferences(routes: PageRoutes): void {
  routes.signedInPage('POST', '/reading-preferences', async (visit) => {
    const form = await readSessionForm(visit)
    const next = safeNextUrl(visit.site.baseUrl, form.get('next'))
    for (const name of ['csrf', 'next']) form.delete(name)
    await changeReadingPreferences(visit.ctx, parseForm(ReadingPreferences, form))
    return redirect(visit, next)
  })
}

/** The visitor's reading preferences. */
export function preferencesOf({ signedIn }: SignedInVisit): ReadingPreferences {
  return readingPreferencesOf(signedIn.actor.account)
}

/** The classes of the root element for these preferences. */
export function preferenceClasses({ size, theme, width }: ReadingPreferences): string {
  return `reading size-${size} theme-${theme} width-${width}`
}

type Choices = readonly (readonly [value: string, label: string])[]

const choices: readonly (readonly [name: keyof ReadingPreferences, legend: string, choices: Choices])[] = [
  [
    'size',
    'Text size',
    [
      ['1', 'Smallest'],
      ['2', 'Small'],
      ['3', 'Medium'],
      ['4', 'Large'],
      ['5', 'Largest'],
    ],
  ],
  [
    'theme',
    'Colours',
    [
      ['system', 'Same as the device'],
      ['light', 'Light'],
      ['dark', 'Dark'],
      ['sepia', 'Sepia'],
    ],
  ],
  [
    'width',
    'Line length',
    [
      ['narrow', 'Short'],
      ['normal', 'Medium'],
      ['wide', 'Long'],
    ],
  ],
  [
    'as',
    'Text',
    [
      ['text', 'Formatted'],
      ['stored', 'Exactly as stored'],
    ],
  ],
  [
    'keys',
    'Keys j, k and /',
    [
      ['on', 'On'],
      ['off', 'Off'],
    ],
  ],
]

/** The menu for reading preferences; with JavaScript each choice applies at once. */
export function preferencesMenu(visit: SignedInVisit): Html {
  const chosen = preferencesOf(visit)
  return menu({
    label: html`${icon('settings')}<span class="hidden-text">Display</span>`,
    title: 'Display',
    className: 'reader-display',
    content: html`<form method="post" action="/reading-preferences" data-preferences>
      ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('next', visit.url.pathname + visit.url.search)}
      ${choices.map(([name, legend, values]) => choiceOf({ name, legend, values, chosen: String(chosen[name]) }))}
      <button>Save</button>
    </form>`,
  })
}

interface Choice {
  name: string
  legend: string
  values: Choices
  chosen: string
}

function choiceOf({ name, legend, values, chosen }: Choice): Html {
  return html`<fieldset class="reader-choice">
    <legend>${legend}</legend>
    ${values.map(
      ([value, label]) =>
        html`<label
          ><input type="radio" name="${name}" value="${value}" ${value === chosen ? html`checked` : ''} /><span
            >${label}</span
          ></label
        >`,
    )}
  </fieldset>`
}
