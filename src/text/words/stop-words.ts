/** English stop words: searched only in phrases, or when a query has no other words. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a about an and are as at be been but by can could did do does for from had has have how i if in into is it its ' +
    'me my of on or our should so such than that the their them then there these they this to us was we were what ' +
    'when where which while who why will with would you your'
  ).split(' '),
)
