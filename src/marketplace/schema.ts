import { z } from 'zod'
import { Count, Ordinal, Timestamp, Url } from '../core/field-types.ts'
import { nameSchema, noteSchema, sluggable } from '../core/schema-notes.ts'
import { hasAtMost } from '../core/has-at-most.ts'
import { ItemId, QuotedFrom, wellFormed } from '../books/schema.ts'
import { cleanName } from '../runtime/clean-name.ts'
import { slugify } from '../text/slugify.ts'
import { categories } from './categories.ts'
import { listingSorts } from './listing-store.ts'

const Tag = z.object({ name: z.string(), slug: z.string() })
nameSchema(Tag, 'Tag', 'A tag of a listing.')

const seller = z.object({ name: z.string(), imageUrl: Url.nullable() })
nameSchema(seller, 'Seller', 'Who published a book.')

export const Listing = z.object({
  id: z.string(),
  slug: z.string(),
  category: z.enum(categories).nullable(),
  proOnly: z.boolean(),
  tags: z.array(Tag),
  subscriberCount: Count,
  createdAt: Timestamp,
  item: z.object({
    title: z.string(),
    description: z.string().nullable(),
    author: z.string().nullable(),
    sourceType: z.enum(['pdf', 'epub', 'markdown']),
    pageCount: Count,
  }),
  seller,
  quotedFrom: QuotedFrom,
})
export type Listing = z.infer<typeof Listing>
nameSchema(Listing, 'Listing', 'The offer of a book on the marketplace.')

/** The short form of a listing, for pages that would exceed the budget of a response. */
const ListingSummary = z.object({
  id: z.string(),
  title: z.string(),
  author: z.string().optional(),
  proOnly: z.literal(true).optional(),
  subscriberCount: Count,
  quotedFrom: QuotedFrom,
})
export type ListingSummary = z.infer<typeof ListingSummary>

export const ListingPage = z.object({
  listings: z.array(z.union([Listing, ListingSummary])),
  total: Count,
  page: Ordinal,
  totalPages: Count,
})
export type ListingPage = z.infer<typeof ListingPage>

/** The output over REST: complete listings. */
export const WholeListingPage = ListingPage.extend({ listings: z.array(Listing) })

/** A listing as its publisher sees it. */
export const OwnListing = Listing.extend({
  itemId: z.string(),
  status: z.enum(['LIVE', 'WITHDRAWN']),
  freeUntil: Timestamp.nullable(),
  updatedAt: Timestamp,
})
export type OwnListing = z.infer<typeof OwnListing>
nameSchema(OwnListing, 'OwnListing', 'A listing as its publisher sees it.')

export const ListingResult = z.object({ listing: OwnListing })
export type ListingResult = z.infer<typeof ListingResult>

export const OwnListings = z.object({ listings: z.array(OwnListing) })
export type OwnListings = z.infer<typeof OwnListings>

export const NoQuery = z.object({})

export const Success = z.object({ success: z.literal(true) })
export type Success = z.infer<typeof Success>

const maxTags = 10
const maxTagLength = 40
const invalidTagMessage = `each tag must have 1 to ${maxTagLength} characters, among them a letter or a digit`

const Tags = z
  .array(
    noteSchema(z.string({ error: 'tags must be an array of strings' }), {
      ...sluggable,
      maxLength: maxTagLength,
    })
      .transform(cleanName)
      .refine(
        (name) => hasAtMost(name, maxTagLength) && name.isWellFormed() && slugify(name) !== '',
        invalidTagMessage,
      ),
    { error: 'tags must be an array of strings' },
  )
  .max(maxTags, `a listing has ${maxTags} tags at most`)
  .describe(`Up to ${maxTags} tags of up to ${maxTagLength} characters.`)

/** The use case checks the category, because its error carries the allowed list. */
const CategoryName = noteSchema(z.string().max(100), { enum: [...categories], maxLength: undefined })

const isoDate = (name: string) =>
  z
    .union([z.iso.datetime({ offset: true }), z.iso.date()], { error: `${name} must be an ISO 8601 date` })
    .transform((text) => new Date(text))

const Terms = {
  category: CategoryName.nullish().describe(categories.join(', ')),
  tags: Tags.optional(),
  proOnly: z.boolean().optional().describe('Only Pro plans read it in full; others get a preview.'),
  freeUntil: isoDate('freeUntil').nullish().describe('Until then all plans read a Pro book in full.'),
}

export const PublishListing = z.strictObject({ itemId: ItemId, ...Terms })
export type PublishListing = z.infer<typeof PublishListing>

export const UpdateListing = z.strictObject({ id: ItemId, ...Terms })
export type UpdateListing = z.infer<typeof UpdateListing>

export const ListingRef = z.strictObject({ id: ItemId })
export type ListingRef = z.infer<typeof ListingRef>

const listingIdRequired = 'listingId is required'

export const SubscribeMarketplace = z.strictObject({
  listingId: z
    .string({ error: listingIdRequired })
    .min(1, listingIdRequired)
    .max(64, 'listingId must be at most 64 characters long')
    .describe('From browse_marketplace; not the book id.'),
})
export type SubscribeMarketplace = z.infer<typeof SubscribeMarketplace>

/** The route rejects a repeated subscription, whereas the tool repeats its result. */
export const SubscribeBody = z
  .object(SubscribeMarketplace.shape)
  .transform(({ listingId }) => ({ listingId, refuseRepeat: true }))

export const Subscribed = z.object({
  success: z.literal(true),
  itemId: z.string(),
  alreadySubscribed: z.boolean().optional(),
})
export type Subscribed = z.infer<typeof Subscribed>

const maxPage = 10_000
const maxPageSize = 100
const tag = z.string().max(64).optional().describe('Tag slug.')

export const BrowseMarketplace = z.strictObject({
  query: wellFormed('query')
    .refine((text) => hasAtMost(text, 500), 'query must be at most 500 characters long')
    .meta({ maxLength: 500 })
    .optional()
    .describe('Words in title, author, description or tags.'),
  tag,
  category: CategoryName.optional().describe(categories.join(', ')),
  proOnly: z.boolean().optional(),
  sort: z.enum(listingSorts).default('newest'),
  page: z.int().min(1).max(maxPage).default(1),
  limit: z.int().min(1).max(maxPageSize).default(20),
})
export type BrowseMarketplace = z.infer<typeof BrowseMarketplace>

function integerParam(name: string, { max, fallback }: { max: number; fallback: number }) {
  const error = `${name} must be an integer from 1 to ${max}`
  return z
    .preprocess(
      (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value),
      z.int({ error }).min(1, error).max(max, error),
    )
    .default(fallback)
}

const localDateTime = z.iso.datetime({ local: true })
const zonedDateTime = z.iso.datetime({ offset: true })

/** Parses a date or time; one without a time zone is in UTC. */
function parseInstant(text: string): Date {
  return new Date(localDateTime.safeParse(text).success && !zonedDateTime.safeParse(text).success ? `${text}Z` : text)
}

const invalidSinceMessage = 'Invalid `since` (expects ISO 8601)'

/** The same query as `BrowseMarketplace`, with the route's parameter names and error messages. */
export const BrowseQuery = z
  .object({
    search: BrowseMarketplace.shape.query,
    tag,
    category: CategoryName.optional().describe(categories.join(', ')),
    sort: z.enum(listingSorts, { error: `sort must be one of ${listingSorts.join(', ')}` }).default('newest'),
    page: integerParam('page', { max: maxPage, fallback: 1 }),
    limit: integerParam('limit', { max: maxPageSize, fallback: 20 }),
    since: z
      .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], { error: invalidSinceMessage })
      .optional()
      .describe('ISO 8601; only listings published after it.'),
    proOnly: z.enum(['true', 'false'], { error: 'proOnly must be true or false' }).optional(),
  })
  .transform(({ search, proOnly, since, ...rest }) => ({
    ...rest,
    query: search,
    proOnly: proOnly === 'true',
    ...(since === undefined ? {} : { since: parseInstant(since) }),
  }))
