import { decodeMarkup } from './decode-markup.ts'
import { convertNote } from './convert-note.ts'
import type { NoteElement } from './conversion.ts'
import { findNote, type FoundNote } from './find-note.ts'
import { findNoteLinks, hasIdNear, surroundingsOf, type LinkSurroundings, type NoteLink } from './find-note-links.ts'
import { leaveOutNotes, type PlacedNote } from './leave-out-notes.ts'
import type { MarkedNote, NotesElsewhere } from './note-places.ts'
import type { NoteLabels } from './note-labels.ts'
import type { PageLinks } from './page-links.ts'
import type { TargetResolver } from './resolve-path.ts'
import { numberLength } from './trim-note.ts'
import { scanFile, type ScannedFile } from './scan-notes.ts'
import { FormatError } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'

/**
 * Limits per book, in UTF-16 units: of files that are searched for notes, at a time and in total, and of note text that
 * is converted.
 */
const maxKept = 24 * 1024 * 1024
const maxLoaded = 96 * 1024 * 1024
const maxConverted = 48 * 1024 * 1024
const maxFileBytes = 16 * 1024 * 1024
/** Maximum length of notes that are repeated for further references, per book. */
const maxRepeated = 200_000
/**
 * Maximum number of files without a note that are loaded for the links of one file; the links of an index lead to all
 * chapters.
 */
const maxUnusedLoads = 2
/** Maximum depth of notes within notes. */
const maxDepth = 3

/** The note references of a file whose notes are in other files. */
export interface Marks extends NotesElsewhere {
  /** The labels of the references, by the offsets of their tags in the source. */
  labels: ReadonlyMap<number, string>
  /** Note elements of the file itself, by the offsets of their tags. */
  own: ReadonlyMap<number, OwnNote>
}

/** An element of a note in the same file as its reference. */
export interface OwnNote extends NoteElement {
  isFirst: boolean
  /** True if its number is that of a list item. */
  isCounted: boolean
}

interface NoteFile {
  source: string
  scanned: ScannedFile
  found: Map<string, FoundNote | null>
}

interface Gathered {
  /** The file that contains the references. */
  path: string
  source: string
  notes: Map<string, MarkedNote>
  own: Map<number, OwnNote>
  /** The file itself, scanned on demand; null if it cannot be scanned. */
  scanned: NoteFile | null | undefined
  /** The files that were loaded for its links and contain no note. */
  unused: Set<string>
}

/** What the files of a book share. */
interface BookReferences {
  resolve: TargetResolver
  labels: NoteLabels
  links: PageLinks
}

/** The notes of a book that are in other files than their references. */
export class Endnotes {
  private readonly archive: Archive | null
  private readonly resolve: TargetResolver
  private readonly labels: NoteLabels
  private readonly links: PageLinks
  private readonly files = new Map<string, NoteFile | null>()
  /** The displayed texts of note references, by file and id of the note. */
  private readonly marked = new Map<string, Map<string, string>>()
  private readonly placed = new Map<string, Map<number, PlacedNote>>()
  private kept = 0
  private loaded = 0
  private converted = 0
  private repeated = 0

  /** `archive` has the other files of the book; null for a book of one file. */
  constructor(archive: Archive | null, { resolve, labels, links }: BookReferences) {
    this.archive = archive
    this.resolve = resolve
    this.labels = labels
    this.links = links
  }

  /** The source of a file without the notes that other pages already contain. */
  leaveOut(path: string, source: string): string {
    const placed = this.placed.get(path)
    // Notes that stay in place have the labels of their references.
    for (const [id, shown] of this.marked.get(path) ?? []) this.labels.labelForReference(path, id, shown)
    return placed === undefined ? source : leaveOutNotes(source, [...placed.values()])
  }

  /** Finds the references of a file and their notes. */
  async marksIn(path: string, source: string): Promise<Marks> {
    const gathered: Gathered = { path, source, notes: new Map(), own: new Map(), scanned: undefined, unused: new Set() }
    const labels = await this.gather({ path, source, depth: 0 }, gathered)
    return {
      labels,
      own: gathered.own,
      notes: gathered.notes,
      canTake: (note) => this.canTake(note),
      take: (note) => this.take(note),
    }
  }

  /** True if a note may be added to a page: always to the first one, to further ones up to a limit. */
  private canTake({ path, note }: MarkedNote): boolean {
    return this.repeated < maxRepeated || this.placed.get(path)?.has(note.from) !== true
  }

  /** Takes a note for a page, whose number `setPage` sets later. */
  private take({ path, note: { from, to, isRow }, shown, blocks }: MarkedNote): void {
    const placed = this.placed.get(path) ?? new Map<number, PlacedNote>()
    this.placed.set(path, placed)
    if (placed.has(from)) this.repeated += blocks.reduce((sum, { body }) => sum + body.length, 0)
    else placed.set(from, { from, to, isRow, shown, page: null })
  }

  /** Sets the page of a taken note. */
  setPage({ path, note }: MarkedNote, page: number): void {
    const placed = this.placed.get(path)?.get(note.from)
    if (placed) placed.page ??= page
  }

  /** Labels the references of a text, and converts the notes that have not been converted yet. */
  private async gather(
    { path, source, depth }: { path: string; source: string; depth: number },
    gathered: Gathered,
  ): Promise<Map<number, string>> {
    const labels = new Map<number, string>()
    for (const link of findNoteLinks(source)) {
      const { path: target = null, fragment = null } = this.resolve(path, link.href) ?? {}
      const isOwn = target === gathered.path
      if (target === null || fragment === null || (isOwn && (depth > 0 || link.isReference))) continue
      const how = link.isTyped ? null : surroundingsOf(link.place)
      // Most short links are not placed like note references, so their files need not be loaded.
      if (how !== null && !(how.followsText && (how.isRaised || how.isBracketed || how.isAttached))) continue
      const file = isOwn ? ownFile(gathered) : await this.load(target, gathered)
      const note = file === null ? null : noteOf(file, fragment)
      if (note === null || !this.isMark(link, how, { path, note, target })) continue
      if (isOwn) {
        const label = this.labelOwn(link, note, gathered)
        if (label !== null) labels.set(link.at, label)
        continue
      }
      gathered.unused.delete(target)
      this.marked.set(target, (this.marked.get(target) ?? new Map<string, string>()).set(fragment, link.shown))
      const label = this.labels.labelForMark(gathered.path, {
        key: `${target}#${note.from}`,
        id: fragment,
        shown: link.shown,
      })
      if (!gathered.notes.has(label) && !(await this.convert({ note, target, label, link, depth }, gathered))) continue
      labels.set(link.at, label)
    }
    return labels
  }

  /** The label of a reference to a note in the same file; registers the elements of the note with the converter. */
  private labelOwn(link: NoteLink, note: FoundNote, { path, own }: Gathered): string | null {
    if (!note.isPlain || (link.at >= note.from && link.at < note.to)) return null
    const { shown } = link
    const label = this.labels.labelForMark(path, { key: `${path}#${note.from}`, id: 'note', shown })
    const isBack = (href: string): boolean => {
      const back = href.includes('#') ? this.resolve(path, href) : null
      return back !== null && back.path === path && hasIdNear(link.place, back.fragment ?? '')
    }
    const isCounted = String(note.ordinal) === shown
    for (const [index, start] of note.starts.entries())
      if (!own.has(start)) own.set(start, { label, shown, isBack, isCounted, isFirst: index === 0 })
    return label
  }

  private async convert(
    {
      note,
      target,
      label,
      link,
      depth,
    }: { note: FoundNote; target: string; label: string; link: NoteLink; depth: number },
    gathered: Gathered,
  ): Promise<boolean> {
    const file = this.files.get(target)
    if (!file || this.converted + (note.to - note.from) > maxConverted) return false
    this.converted += note.to - note.from
    const source = note.pieces.map(([from, to]) => file.source.slice(from, to)).join('\n')
    const marked: MarkedNote = { path: target, note, shown: link.shown, blocks: [] }
    gathered.notes.set(label, marked)
    const marks = depth < maxDepth ? await this.gather({ path: target, source, depth: depth + 1 }, gathered) : new Map()
    const isBack = (href: string): boolean => {
      const back = href.includes('#') ? this.resolve(target, href) : null
      return back !== null && back.path === gathered.path && hasIdNear(link.place, back.fragment ?? '')
    }
    const isCounted = String(note.ordinal) === link.shown
    const { shown } = link
    const parts = { path: target, notes: this.labels, links: this.links, label, shown, isCounted, isBack, marks }
    marked.blocks = convertNote(source, parts)
    if (marked.blocks.length === 0) gathered.notes.delete(label)
    return marked.blocks.length > 0
  }

  /**
   * True if a link and its target are a reference and a note: the link says so (`how` is null), or it is placed like
   * one.
   */
  private isMark(
    link: NoteLink,
    how: LinkSurroundings | null,
    { path, note, target }: { path: string; note: FoundNote; target: string },
  ): boolean {
    const backs = note.hrefs.map((href) => this.resolve(target, href)).filter((back) => back?.path === path)
    const isTwoWay = backs.some((back) => back?.fragment && hasIdNear(link.place, back.fragment))
    const isSame = hasNumber(note, link.shown)
    if (how === null) return isTwoWay || note.isTyped || isSame
    if (isTwoWay) return how.isRaised || isSame
    return isSame && (how.isRaised || (how.isBracketed && (note.isTyped || backs.length > 0)))
  }

  private async load(path: string, gathered: Gathered): Promise<NoteFile | null> {
    const known = this.files.get(path)
    if (known !== undefined) return known
    if (gathered.unused.size > maxUnusedLoads || this.loaded > maxLoaded) return null
    const source = await this.read(path)
    const scanned = source === null ? null : scanFile(source)
    const file = source === null || scanned === null ? null : { source, scanned, found: new Map() }
    gathered.unused.add(path)
    this.files.set(path, file)
    this.kept += file?.source.length ?? 0
    for (const [oldest, old] of this.files) {
      if (this.kept <= maxKept || oldest === path) break
      this.files.delete(oldest)
      this.kept -= old?.source.length ?? 0
    }
    return file
  }

  private async read(path: string): Promise<string | null> {
    if (this.archive === null) return null
    try {
      const source = decodeMarkup(await this.archive.readPicture(path, maxFileBytes))
      this.loaded += source.length
      return source
    } catch (error) {
      if (error instanceof FormatError) return null
      throw error
    }
  }
}

function ownFile(gathered: Gathered): NoteFile | null {
  if (gathered.scanned !== undefined) return gathered.scanned
  const { source } = gathered
  const scanned = scanFile(source)
  gathered.scanned = scanned && { source, scanned, found: new Map() }
  return gathered.scanned
}

function noteOf({ scanned, found }: NoteFile, id: string): FoundNote | null {
  const known = found.get(id)
  if (known !== undefined) return known
  const note = findNote(scanned, id)
  found.set(id, note)
  return note
}

/** True if a note has further text and begins with the text of its reference, or has it as its list number. */
function hasNumber({ text, ordinal }: FoundNote, shown: string): boolean {
  if (ordinal !== null && String(ordinal) === shown) return /[\p{L}\p{N}]/u.test(text)
  const length = numberLength(text.normalize('NFKC'), shown)
  return length > 0 && /[\p{L}\p{N}]/u.test(text.slice(length))
}
