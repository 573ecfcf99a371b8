import { html } from 'hono/html'
import { categories } from '../../../marketplace/categories.ts'
import { findBookListing } from '../../../marketplace/find-book-listing.ts'
import type { Listing } from '../../../marketplace/listing-store.ts'
import { ListingResult, Success } from '../../../marketplace/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { categoryLabel } from '../../format/category-label.ts'
import { formatDay } from '../../format/format-time.ts'
import type { Form, FormState } from '../../form.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Whether a book of the caller is on the marketplace, and forms to publish, change or withdraw it. */
export async function bookListing(
  visit: SignedInVisit,
  { id, status }: { id: string; status: string },
  state: FormState,
): Promise<Html> {
  const listing = await findBookListing(visit.ctx, id)
  return html`<section aria-labelledby="marketplace">
    <h2 id="marketplace">Marketplace</h2>
    ${
      listing?.status === 'LIVE'
        ? published(visit, listing, state)
        : !visit.ctx.actor.plan.canPublish
          ? html`<p class="quiet-text">
              Not published. Your plan does not include publishing. <a href="/plans">See the plans</a>
            </p>`
          : status !== 'READY'
            ? html`<p class="quiet-text">You can publish the book when its import has finished.</p>`
            : publishForm(visit, { id, listing }, state)
    }
  </section>`
}

function published(visit: SignedInVisit, listing: Listing, { form }: FormState): Html {
  const { id, itemId, createdAt, subscriberCount, category, tags, proOnly, item } = listing
  const terms = [...(category ? [categoryLabel(category)] : []), ...tags.map(({ name }) => name)]
  const readers = subscriberCount === 1 ? '1 reader has' : `${subscriberCount.toLocaleString('en-GB')} readers have`
  return html`<p>
      Published ${formatDay(createdAt)}. ${readers} added it.
      ${proOnly ? 'Only readers with a Pro plan can read it in full; others get a preview.' : ''}
      <a href="/discover?${new URLSearchParams({ q: item.title })}#listing-${id}">See it as readers do</a>
    </p>
    <p class="quiet-text">
      ${terms.length === 0 ? 'It has no category and no tags by which readers find it.' : html`<bdi>${terms.join(', ')}</bdi>`}
    </p>
    <details ${form?.has('category') ? html`open` : ''}>
      <summary>Change…</summary>
      <form method="post" action="/books/${itemId}/listing" class="form">
        ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('listing', id)}
        <p>Changes apply at once, also to readers who have added it.</p>
        ${termsFields(form, listing)}
        <button>Save</button>
      </form>
    </details>
    <details>
      <summary>Withdraw…</summary>
      <form method="post" action="/books/${itemId}/withdraw" class="form">
        ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('listing', id)}
        <p>No more readers can add it. Those who have added it keep it and are notified.</p>
        <button class="grave">Withdraw</button>
      </form>
    </details>`
}

function publishForm(
  visit: SignedInVisit,
  { id, listing }: { id: string; listing: Listing | null },
  { form }: FormState,
): Html {
  return html`<p class="quiet-text">${listing ? 'Withdrawn. You can publish it again.' : 'Not published.'}</p>
    <details ${form?.has('category') ? html`open` : ''}>
      <summary>Publish…</summary>
      <form method="post" action="/books/${id}/publish" class="form">
        ${hiddenField('csrf', sessionToken(visit))}
        <p>
          Everybody on this server can then find the book, add it and read it. Publish only what you have the right to
          share.
        </p>
        ${termsFields(form, listing)}
        <button>Publish</button>
      </form>
    </details>`
}

/** The fields of a listing's terms: as they were sent, or as they are. */
function termsFields(form: Form | undefined, listing: Listing | null): Html {
  const category = form?.get('category') ?? listing?.category ?? ''
  const tags = form?.get('tags') ?? listing?.tags.map(({ name }) => name).join(', ') ?? ''
  const proOnly = form?.has('category') ? form.get('proOnly') === 'on' : (listing?.proOnly ?? false)
  return html`<div class="field">
      <label for="category">Category <span>optional</span></label>
      <select id="category" name="category">
        <option value="">None</option>
        ${categories.map((name) => html`<option value="${name}" ${name === category ? html`selected` : ''}>${categoryLabel(name)}</option>`)}
      </select>
    </div>
    <div class="field">
      <label for="tags">Tags <span>optional</span></label>
      <p class="hint" id="tags-hint">Up to ten, with commas between them.</p>
      <input id="tags" name="tags" autocomplete="off" aria-describedby="tags-hint" value="${tags}" />
    </div>
    <label class="tick"
      ><input type="checkbox" name="proOnly" value="on" ${proOnly ? html`checked` : ''} /><span
        >Only readers with a Pro plan can read it in full</span
      ></label
    >`
}

/** Publishes the book with the terms in the form. */
export async function submitPublish(visit: SignedInVisit, itemId: string, form: Form): Promise<void> {
  await callToolForVisit(visit, { name: 'publish_listing', raw: { itemId, ...readTerms(form) } }, ListingResult)
}

/** Changes the terms of the book's listing to those in the form. */
export async function submitListing(visit: SignedInVisit, _itemId: string, form: Form): Promise<void> {
  const raw = { id: form.get('listing') ?? '', ...readTerms(form) }
  await callToolForVisit(visit, { name: 'update_listing', raw }, ListingResult)
}

function readTerms(form: Form): { category: string | null; tags: string[]; proOnly: boolean } {
  const tags = (form.get('tags') ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  return { category: form.get('category') || null, tags, proOnly: form.get('proOnly') === 'on' }
}

/** Withdraws the book's listing. */
export async function submitWithdraw(visit: SignedInVisit, _itemId: string, form: Form): Promise<void> {
  await callToolForVisit(visit, { name: 'withdraw_listing', raw: { id: form.get('listing') ?? '' } }, Success)
}
