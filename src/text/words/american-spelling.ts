/*
 * Maps words that British and American English spell differently to one spelling, so that each finds the other. A result that no American
 * writes does no harm, because both the text and the query are mapped.
 */

/** Words that keep -ise in American English, matched by the part before it. */
const iseWords =
  /[aeiou]$|^(?:advert|adv|ar|appr|chast|circumc|compr|comprom|prom|conc|dem|desp|dev|disgu|enterpr|exc|exerc|expert|franch|improv|inc|merchand|parad|pract|prec|prem|rev|superv|surm|surpr|telev|treat)$|w$/
const ise = /(.{2,})is(e|es|ed|er|ers|ing|able|ation|ations|ational)$/
const yse = /(.{2,}l)ys(e|es|ed|er|ers|ing)$/
const our = /^(.*[aeiou].*)our(s|ed|ing|able|al|ite|ites|ful|less|er|ers)?$/
const re = /^(.+[bt])re(s|d)?$/
const ogue = /^(.{2,}og)ue(s|d)?$/
const ence = /^(def|off|pret|lic)ence(s|d|less)?$/
const words = new Map(
  Object.entries({
    aluminium: 'aluminum',
    grey: 'gray',
    greys: 'grays',
    programme: 'program',
    programmes: 'programs',
    plough: 'plow',
    ploughs: 'plows',
    mould: 'mold',
    moulds: 'molds',
    ageing: 'aging',
    judgement: 'judgment',
    judgements: 'judgments',
    skilful: 'skillful',
    sceptic: 'skeptic',
    sceptics: 'skeptics',
    sceptical: 'skeptical',
    jewellery: 'jewelry',
    tyre: 'tire',
    tyres: 'tires',
    cheque: 'check',
    cheques: 'checks',
    practise: 'practice',
    practised: 'practiced',
    practising: 'practicing',
  }),
)

/** Returns the American spelling of an English word in lower-case letters a to z. */
export function americanSpelling(word: string): string {
  if (word.length < 4) return word
  const known = words.get(word)
  if (known !== undefined) return known
  if (word.includes('is')) {
    const [, base = '', ending = ''] = ise.exec(word) ?? []
    if (base !== '' && !iseWords.test(base)) return `${base}iz${ending}`
  }
  if (word.includes('ys')) return word.replace(yse, '$1yz$2')
  if (word.includes('our')) return word.replace(our, '$1or$2')
  if (word.includes('re'))
    return word.replace(re, (_, base: string, ending = '') => `${base}er${ending === 'd' ? 'ed' : ending}`)
  if (word.includes('ogue'))
    return word.replace(ogue, (_, base: string, ending = '') => base + (ending === 'd' ? 'ed' : ending))
  return word.includes('ence') ? word.replace(ence, '$1ense$2') : word
}
