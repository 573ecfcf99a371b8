/** Destinations whose text is not part of the book, in addition to those marked with a star (RTF 1.9.1, appendix B). */
export const skippedGroups: ReadonlySet<string> = new Set(
  `colortbl filetbl revtbl rsidtbl themedata colorschememapping datastore latentstyles header
  headerl headerr headerf footer footerl footerr footerf footnotesep ftnsep ftnsepc ftncn aftnsep
  aftnsepc aftncn pntxta pntxtb nonesttables nonshppict xe tc tcn rxe txe
  annotation atnid atnauthor bkmkend objdata objclass objname upr sp shprslt
  mctrlPr mtype mchr mbegChr mendChr msepChr mpos mvertJc mdegHide mmathPict comment keywords
  operator category manager company hlinkbase private listname`.split(/\s+/),
)

/** Destinations that are marked with a star and read nevertheless. */
export const readGroups: ReadonlySet<string> = new Set(['shppict', 'shpinst', 'do', 'moMath', 'moMathPara', 'ud'])

/** Destinations with metadata. */
export const infoFields: ReadonlyMap<string, 'title' | 'author' | 'description'> = new Map([
  ['title', 'title'],
  ['author', 'author'],
  ['subject', 'description'],
  ['doccomm', 'description'],
])

/** Control words that represent a character. */
export const namedCharacters: Readonly<Record<string, string>> = {
  tab: '\t',
  emdash: '\u2014',
  endash: '\u2013',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201c',
  rdblquote: '\u201d',
  bullet: '\u2022',
  emspace: '\u2003',
  enspace: '\u2002',
  qmspace: '\u2005',
  zwj: '\u200d',
  zwnj: '\u200c',
}

/** Control symbols that represent a character; the optional hyphen is left out. */
export const symbolCharacters: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '~': '\u00a0',
    _: '\u2011',
    '{': '{',
    '}': '}',
    '\\': '\\',
    '\t': '\t',
  }),
)
