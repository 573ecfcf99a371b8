/** The categories of listings and of reader requests. */
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

/** True for one of `categories`. */
export function isCategory(text: string): text is Category {
  return (categories as readonly string[]).includes(text)
}
