import { fileFormats, formatOfBook } from '../../../books/file-formats.ts'
import { html } from 'hono/html'
import type { DiscoveredListing } from '../../../marketplace/discover-listings.ts'
import type { BrowseMarketplace } from '../../../marketplace/schema.ts'
import { cover } from '../../components/cover.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { discoverUrl } from './discover-query.ts'
import { categoryLabel } from '../../format/category-label.ts'
import { formatPageCount } from '../../format/format-page-count.ts'

interface CardOptions {
  /** The CSRF token of its forms. */
  token: string
  /** The page that contains the card. */
  back: string
  query: BrowseMarketplace
}

/** Number of characters of a description that are shown at first. */
const shownCharacters = 220

/** A marketplace book with its topic, publisher, and the actions for the reader. */
export function listingCard(listing: DiscoveredListing, options: CardOptions): Html {
  const { id, item, proOnly, tags, seller } = listing
  const { title, author, description } = item
  return html`<li class="listing" id="listing-${id}">
    ${cover({ title, author })}
    <div class="listing-words">
      <h2 class="book-name" dir="auto">${title}</h2>
      ${author ? html`<p class="book-author"><span dir="auto">${author}</span></p>` : ''}
      <p class="facts book-facts">${facts(listing)}</p>
      ${description ? listingDescription(title, description) : ''}
      <p class="facts book-facts">Published by <span dir="auto">${seller.name}</span></p>
      ${
        proOnly || tags.length > 0
          ? html`<ul class="badges">
              ${proOnly ? html`<li class="badge">Pro plan; others get a preview</li>` : ''}
              ${tags.map(({ name, slug }) => html`<li><a class="badge" href="${discoverUrl(options.query, { tag: slug })}" dir="auto">${name}</a></li>`)}
            </ul>`
          : ''
      }
      ${actions(listing, options)}
    </div>
  </li>`
}

function facts({ item, subscriberCount, category }: DiscoveredListing): string {
  const { pageCount } = item
  return [
    formatPageCount(pageCount),
    fileFormats[formatOfBook(item)].name,
    ...(category ? [categoryLabel(category)] : []),
    ...(subscriberCount > 0
      ? [subscriberCount === 1 ? '1 reader' : `${subscriberCount.toLocaleString('en-GB')} readers`]
      : []),
  ].join(' · ')
}

/** The beginning of a description; what follows it is shown on request. */
function listingDescription(title: string, description: string): Html {
  const text = description.replaceAll(/\s+/g, ' ').trim()
  if (text.length <= shownCharacters) return html`<p class="listing-description" dir="auto">${text}</p>`
  const end = endOfBeginning(text)
  return html`<p class="listing-description" dir="auto">${text.slice(0, end)}…</p>
    <details class="listing-rest">
      <summary>Read on<span class="hidden-text">: ${title}</span></summary>
      <p class="listing-description" dir="auto">${text.slice(end).trimStart()}</p>
    </details>`
}

/** Where the beginning of a long text ends: between words, unless it has long ones or no spaces. */
function endOfBeginning(text: string): number {
  const space = text.lastIndexOf(' ', shownCharacters)
  if (space >= shownCharacters / 2) return space
  return /[\uD800-\uDBFF]/.test(text.charAt(shownCharacters - 1)) ? shownCharacters - 1 : shownCharacters
}

function actions({ id, itemId, item, relation, proOnly }: DiscoveredListing, { token, back }: CardOptions): Html {
  if (relation === 'own') {
    return html`<p class="listing-actions">
      <a class="button quiet small" href="/books/${itemId}">Open</a> <span class="badge">Yours</span>
    </p>`
  }
  const fields = html`${hiddenField('csrf', token)} ${hiddenField('listing', id)} ${hiddenField('back', back)}`
  const name = html`<span class="hidden-text"> ${item.title}</span>`
  if (relation === 'new') {
    return html`<form method="post" action="/discover/add" class="listing-actions">
      ${fields}<button class="quiet small">${icon('plus')}Add to my library${name}</button>
    </form>`
  }
  return html`<div class="listing-actions">
    <a class="button quiet small" href="/books/${itemId}/pages/1">${proOnly ? 'Read or preview' : 'Read'}${name}</a>
    <form method="post" action="/discover/remove">
      ${fields}<button class="quiet small">${icon('x')}Remove${name}</button>
    </form>
  </div>`
}
