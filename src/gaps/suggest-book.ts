import type { AttemptServices } from '../accounts/attempt-limiter.ts'
import { redact } from './redact.ts'
import type { SuggestBook, SuggestedBook } from './schema.ts'
import { topicKey } from './topic-key.ts'
import type { Call } from '../core/context.ts'
import type { SuggestionStores } from './suggestion-store.ts'

/**
 * Suggests a book to the librarians, once per title and author; a repeat keeps the first reason. Refuses more than 100
 * suggestions a day with RATE_LIMITED.
 */
export async function suggestBook(
  ctx: Call & SuggestionStores & AttemptServices,
  { title, author, reason }: SuggestBook,
): Promise<SuggestedBook> {
  await ctx.attemptLimiter.consume('suggest', ctx.actor.id)
  const redacted = {
    title: redact(title),
    author: author === undefined ? null : redact(author),
    reason: redact(reason),
  }
  const workKey = topicKey(redacted.title, redacted.author ?? '')
  const added = await ctx.suggestions.add({
    id: ctx.newId(),
    accountId: ctx.actor.id,
    work: workKey,
    ...redacted,
    createdAt: ctx.now(),
  })
  return { ok: true, alreadySuggested: !added }
}

const maxListed = 100

/** The books that the caller suggested in a time span, latest first, at most 100. */
export async function listSuggestedBooks(ctx: Call & SuggestionStores, { start, end }: { start: Date; end: Date }) {
  const suggestions = await ctx.suggestions.list(ctx.actor.id, { start, end, limit: maxListed })
  return suggestions.map(({ title, author, reason, createdAt }) => {
    return { title, author, reason, createdAt: createdAt.toISOString() }
  })
}
