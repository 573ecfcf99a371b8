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

/** Whether a book of the caller is on the marketplace, and a form to publish or withdraw it. */
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
        ? published(visit, listing)
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

function published(visit: SignedInVisit, listing: Listing): Html {
  const { id, itemId, createdAt, subscriberCount, proOnly, item } = listing
  const readers = subscriberCount === 1 ? '1 reader has' : `${subscriberCount.toLocaleString('en-GB')} readers have`
  return html`<p>
      Published ${formatDay(createdAt)}. ${readers} added it.
      ${proOnly ? 'Only readers with a Pro plan can read it in full; others get a preview.' : ''}
      <a href="/discover?${new URLSearchParams({ q: item.title })}#listing-${id}">See it as readers do</a>
    </p>
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
  const category = form?.get('category') ?? listing?.category ?? ''
  const tags = form?.get('tags') ?? listing?.tags.map(({ name }) => name).join(', ') ?? ''
  return html`<p class="quiet-text">${listing ? 'Withdrawn. You can publish it again.' : 'Not published.'}</p>
    <details ${form?.has('category') ? html`open` : ''}>
      <summary>Publish…</summary>
      <form method="post" action="/books/${id}/publish" class="form">
        ${hiddenField('csrf', sessionToken(visit))}
        <p>
          Everybody on this server can then find the book, add it and read it. Publish only what you have the right to
          share.
        </p>
        <div class="field">
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
          ><input
            type="checkbox"
            name="proOnly"
            value="on"
            ${form?.get('proOnly') === 'on' ? html`checked` : ''}
          /><span>Only readers with a Pro plan can read it in full</span></label
        >
        <button>Publish</button>
      </form>
    </details>`
}

/** Publishes the book with the terms in the form. */
export async function submitPublish(visit: SignedInVisit, itemId: string, form: Form): Promise<void> {
  const tags = (form.get('tags') ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  const raw = { itemId, category: form.get('category') || null, tags, proOnly: form.get('proOnly') === 'on' }
  await callToolForVisit(visit, { name: 'publish_listing', raw }, ListingResult)
}

/** Withdraws the book's listing. */
export async function submitWithdraw(visit: SignedInVisit, _itemId: string, form: Form): Promise<void> {
  await callToolForVisit(visit, { name: 'withdraw_listing', raw: { id: form.get('listing') ?? '' } }, Success)
}
