import { z } from 'zod'
import { systemOwner } from '../../books/book.ts'
import { AppError } from '../../core/errors.ts'
import { publishListing } from '../../marketplace/publish-listing.ts'
import { PublishListing } from '../../marketplace/schema.ts'
import { parseInput } from '../../core/parse-input.ts'
import { createAccountContext } from './account-context.ts'
import { defineCommand } from './command.ts'
import type { BookStores } from '../../books/store.ts'
import type { AccountStores } from '../../accounts/store.ts'

export const listingPublish = defineCommand({
  name: 'listing publish',
  usage: '--item ID [--category C] [--tags a,b] [--pro-only] [--free-until ISO]',
  summary: 'Publish a book on the marketplace on behalf of its owner.',
  options: z.strictObject({
    item: z.string().min(1),
    category: z.string().optional(),
    tags: z
      .string()
      .transform((text) => text.split(','))
      .optional(),
    proOnly: z.literal(true).optional(),
    freeUntil: z.string().optional(),
  }),
  async run(admin, { item: itemId, ...terms }) {
    const ctx = createAccountContext(admin, await ownerOf(admin.services, itemId))
    const { listing } = await publishListing(ctx, parseInput(PublishListing, { itemId, ...terms }))
    const { id, slug } = listing
    return { json: { id, slug }, text: id, remarks: [`Published as ${slug}`] }
  },
})

/** The owner of a book; refuses unknown books with NOT_FOUND and built-in books with FORBIDDEN. */
async function ownerOf({ books, accounts }: BookStores & AccountStores, itemId: string) {
  const [book] = await books.byIds([itemId])
  if (book?.ownerId === systemOwner)
    throw new AppError('FORBIDDEN', 'Built-in books cannot be published: every account already has them.')
  const owner = book && (await accounts.byId(book.ownerId))
  if (!owner)
    throw new AppError('NOT_FOUND', `No book ${itemId}. To list the books of an account: lectern book list --email E`)
  return owner
}
