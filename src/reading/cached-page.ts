import type { Budget } from '../core/context.ts'
import { encodeText, encodedContentOf, type EncodedText } from '../runtime/json-encoder.ts'
import type { Page } from '../text/page-ranges.ts'
import { countWords } from './count-words.ts'
import { escapeMarkers } from './escape-markers.ts'

/** A stored page. */
export interface StoredPage {
  id: string
  content: string
  label: string | null
  /** Confidence of text recognition, 0 to 100; absent for text from the file, and for written text. */
  ocr?: number
}

/** The context that the presentation of a page depends on. */
export interface PagePlace {
  version: number
  pageNum: number
  /** Titles of the chapters that contain the page, outermost first. */
  chapter: string[]
  budget: Budget
}

/** A page as presented in an answer, and its cost. */
export interface PresentedPage {
  page: Page
  /** The cost of everything except the text. */
  overhead: number
  cost: number
}

/** Memory of a page without its texts, bytes: objects, ids, label and address. */
const baseWeight = 1500

/**
 * A stored page with the data that answers derive from it. Each part is computed on first use and kept with the page.
 * `onGrow` is called after a part has increased the page's weight.
 */
export class CachedPage implements StoredPage, EncodedText {
  readonly id: string
  readonly content: string
  readonly label: string | null
  readonly ocr?: number
  readonly #onGrow: (page: CachedPage) => void
  #words: number | undefined
  #json: Uint8Array | undefined
  #quoted: EncodedText | undefined
  #cost: { budget: Budget; cost: number } | undefined
  #presented: { place: PagePlace; presented: PresentedPage } | undefined

  constructor({ id, content, label, ocr }: StoredPage, onGrow: (page: CachedPage) => void) {
    this.id = id
    this.content = content
    this.label = label
    if (ocr !== undefined) this.ocr = ocr
    this.#onGrow = onGrow
  }

  /** The memory that the page uses, in bytes; counts two bytes per UTF-16 unit, the maximum. */
  get weight(): number {
    const quotedWeight = this.#quoted && this.#quoted !== this ? textWeight(this.#quoted) : 0
    return baseWeight + this.content.length * 2 + (this.#json?.length ?? 0) + quotedWeight
  }

  /** Number of words, as in `countWords`. */
  get words(): number {
    this.#words ??= countWords(this.content)
    return this.#words
  }

  /** The content of the JSON string of the text, in UTF-8. */
  get json(): Uint8Array {
    if (!this.#json) {
      this.#json = encodeText(this.content)
      this.#onGrow(this)
    }
    return this.#json
  }

  /** The text with escaped markers, for text blocks; the page itself if it contains none. */
  get quoted(): EncodedText {
    if (!this.#quoted) {
      const content = escapeMarkers(this.content)
      this.#quoted = content === this.content ? this : { content, json: encodeText(content) }
      if (this.#quoted !== this) this.#onGrow(this)
    }
    return this.#quoted
  }

  /** The cost of the text within an answer; cached for the last budget. */
  cost(budget: Budget): number {
    if (this.#cost?.budget !== budget) this.#cost = { budget, cost: budget.cost(this.content) }
    return this.#cost.cost
  }

  /** The result of `present`; cached for the last place. */
  presentAt(place: PagePlace, present: () => PresentedPage): PresentedPage {
    if (!this.#presented || !isSamePlace(this.#presented.place, place))
      this.#presented = { place, presented: present() }
    return this.#presented.presented
  }
}

function textWeight({ content, json }: EncodedText): number {
  return content.length * 2 + json.length
}

function isSamePlace(a: PagePlace, b: PagePlace): boolean {
  return a.version === b.version && a.pageNum === b.pageNum && a.chapter === b.chapter && a.budget === b.budget
}

/** The cached page that provides the whole text of a page in an answer; undefined for a split or copied page. */
export function cachedPageOf(page: { content: string }): CachedPage | undefined {
  const kept = encodedContentOf(page)
  return kept instanceof CachedPage ? kept : undefined
}
