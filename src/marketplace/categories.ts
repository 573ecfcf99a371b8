/** What a listing, or a reader's request, may be about. */
export const categories = [
  'programming',
  'devops',
  'design',
  'science',
  'mathematics',
  'philosophy',
  'history',
  'business',
  'health',
  'finance',
  'other',
] as const
export type Category = (typeof categories)[number]

/** True for a category of the closed list. */
export function isCategory(text: string): text is Category {
  return (categories as readonly string[]).includes(text)
}
