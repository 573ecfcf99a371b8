import { dayInWords } from '../core/day-in-words.ts'

/** The ends of messages that name the address of the plans, and their words on a page, which links to the plans. */
const endings: readonly (readonly [RegExp, string])[] = [
  [
    / Upgrade at https?:\S+\/plans or pick which books stay usable at \S+/,
    ' Ask for a larger plan, or choose which books stay usable.',
  ],
  [/ Upgrade(?: [a-z ]+)?[.:]? https?:\S+\/plans/, ' Ask for a larger plan.'],
  [/,? or upgrade[.:]? https?:\S+\/plans/, ', or ask for a larger plan.'],
  [/:? https?:\S+\/plans$/, '.'],
]

/** Words a message about a limit of the plan for people: without addresses, names of tools and ISO dates. */
export function wordsAboutPlan(message: string): string {
  const ending = endings.find(([pattern]) => pattern.test(message))
  const worded = ending ? message.replace(...ending) : message
  return worded.replace(/ \([a-z]+(?:_[a-z]+)+\)/, '').replace(/\b\d{4}-\d\d-\d\d\b/, dayInWords)
}
