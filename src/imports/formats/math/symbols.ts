/** LaTeX commands for mathematical characters, as in KaTeX: a name, then its characters. */
const commandTable = `
alpha α|beta β|gamma γ|delta δ|epsilon ϵ|varepsilon ε|zeta ζ|eta η|theta θ|vartheta ϑ|iota ι|kappa κ|varkappa ϰ|lambda λ|mu μµ|nu ν|xi ξ|pi π|varpi ϖ|rho ρ|varrho ϱ
sigma σ|varsigma ς|tau τ|upsilon υ|phi ϕ|varphi φ|chi χ|psi ψ|omega ω|Gamma Γ|Delta Δ∆|Theta Θ|Lambda Λ|Xi Ξ|Pi Π|Sigma Σ|Upsilon Υϒ|Phi Φ|Psi Ψ|Omega ΩΩ
sum ∑|prod ∏|coprod ∐|int ∫|iint ∬|iiint ∭|oint ∮|oiint ∯|oiiint ∰|bigcap ⋂|bigcup ⋃|bigvee ⋁|bigwedge ⋀|bigoplus ⨁|bigotimes ⨂|bigodot ⨀|biguplus ⨄|bigsqcup ⨆
pm ±|mp ∓|times ×|div ÷|cdot ·⋅∙|ast ∗|star ⋆|circ ∘|bullet •|oplus ⊕|ominus ⊖|otimes ⊗|oslash ⊘|odot ⊙|dagger †|ddagger ‡|amalg ⨿|cap ∩|cup ∪|uplus ⊎|sqcap ⊓|sqcup ⊔|vee ∨|wedge ∧|setminus ∖⧵|wr ≀|bigtriangleup △|bigtriangledown ▽
leq ≤≦⩽|geq ≥≧⩾|neq ≠|equiv ≡|approx ≈|cong ≅|sim ∼|simeq ≃|propto ∝|ll ≪|gg ≫|prec ≺|succ ≻|preceq ⪯≼|succeq ⪰≽|subset ⊂|supset ⊃|subseteq ⊆|supseteq ⊇|subsetneq ⊊|supsetneq ⊋|sqsubseteq ⊑|sqsupseteq ⊒|in ∈|ni ∋|notin ∉|parallel ∥|nparallel ∦|mid ∣|nmid ∤|perp ⊥⟂|models ⊨|vdash ⊢|dashv ⊣|asymp ≍|doteq ≐|triangleq ≜|bowtie ⋈|lesssim ≲|gtrsim ≳|vartriangleleft ⊲|vartriangleright ⊳|trianglelefteq ⊴|trianglerighteq ⊵|nsubseteq ⊈|nsupseteq ⊉|nleq ≰|ngeq ≱|nless ≮|ngtr ≯|ncong ≇|Vdash ⊩|Vvdash ⊪|because ∵|therefore ∴
leftarrow ←|rightarrow →⟶|leftrightarrow ↔⟷|Leftarrow ⇐⟸|Rightarrow ⇒⟹|Leftrightarrow ⇔⟺|uparrow ↑|downarrow ↓|updownarrow ↕|Uparrow ⇑|Downarrow ⇓|Updownarrow ⇕|mapsto ↦⟼|hookrightarrow ↪|hookleftarrow ↩|nearrow ↗|searrow ↘|swarrow ↙|nwarrow ↖|rightharpoonup ⇀|rightharpoondown ⇁|leftharpoonup ↼|leftharpoondown ↽|rightleftharpoons ⇌|leftrightharpoons ⇋|leadsto ⇝|twoheadrightarrow ↠|rightrightarrows ⇉|rightleftarrows ⇄|leftrightarrows ⇆|nrightarrow ↛|nleftarrow ↚|nRightarrow ⇏|circlearrowleft ↺|circlearrowright ↻
forall ∀|exists ∃|nexists ∄|neg ¬|emptyset ∅|varnothing ⌀|nabla ∇|partial ∂|infty ∞|aleph ℵ|beth ℶ|gimel ℷ|hbar ℏ|imath ı|jmath ȷ|ell ℓ|wp ℘|Re ℜ|Im ℑ|angle ∠|measuredangle ∡|top ⊤|prime ′|backprime ‵|complement ∁|surd √|diamond ⋄|Box □◻|blacksquare ■∎◼|lozenge ◊|bigstar ★|clubsuit ♣|diamondsuit ♢|heartsuit ♡|spadesuit ♠|flat ♭|natural ♮|sharp ♯|checkmark ✓|mho ℧|eth ð
ldots …|cdots ⋯|vdots ⋮|ddots ⋱|langle ⟨〈〈|rangle ⟩〉〉|lceil ⌈|rceil ⌉|lfloor ⌊|rfloor ⌋|lVert ⦀|Vert ‖|vert |
ulcorner ⌜|urcorner ⌝|llcorner ⌞|lrcorner ⌟|lgroup ⟮|rgroup ⟯|degree °|pounds £|yen ¥|copyright ©|S §|P ¶
`

function readCommands(): Map<string, string> {
  const commands = new Map<string, string>()
  for (const entry of commandTable.trim().split(/[|\n]/)) {
    const [name, characters = ''] = entry.split(' ')
    for (const character of characters) commands.set(character, `\\${name}`)
  }
  const others = { '{': '\\{', '}': '\\}', '\\': '\\backslash', '#': '\\#', '%': '\\%', '&': '\\&', _: '\\_', $: '\\$' }
  for (const [character, command] of Object.entries(others)) commands.set(character, command)
  const signs = { '|': '\\vert', '<': '\\lt', '>': '\\gt', '~': '\\sim', '^': '\\wedge', '−': '-', '–': '-', '‐': '-' }
  for (const [character, command] of Object.entries(signs)) commands.set(character, command)
  const primes = {
    '″': "''",
    '‴': "'''",
    '⁗': "''''",
    '∕': '/',
    '⁄': '/',
    '∶': ':',
    '`': "'",
    '≔': '\\coloneqq',
    '½': '\\tfrac12',
  }
  for (const [character, command] of Object.entries(primes)) commands.set(character, command)
  return commands
}

/** The LaTeX commands of single characters that need one. */
export const commandOf: ReadonlyMap<string, string> = readCommands()

/** Function names that are LaTeX commands. */
export const functionNames: ReadonlySet<string> = new Set(
  (
    'arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log ' +
    'max min Pr sec sin sinh sup tan tanh'
  ).split(' '),
)

/** Operators whose limits are above and below; LaTeX writes these as scripts. */
export const limitOperators: ReadonlySet<string> = new Set(
  (
    'sum prod coprod int iint iiint oint oiint oiiint bigcap bigcup bigvee bigwedge bigoplus bigotimes bigodot ' +
    'biguplus bigsqcup det gcd inf lim liminf limsup max min Pr sup'
  )
    .split(' ')
    .map((name) => `\\${name}`),
)

/** Accents by the character above: for one letter, and for several. */
export const accents: ReadonlyMap<string, readonly [one: string, more: string]> = new Map(
  Object.entries({
    '^': ['\\hat', '\\widehat'],
    ˆ: ['\\hat', '\\widehat'],
    '\u0302': ['\\hat', '\\widehat'],
    '~': ['\\tilde', '\\widetilde'],
    '˜': ['\\tilde', '\\widetilde'],
    '∼': ['\\tilde', '\\widetilde'],
    '\u0303': ['\\tilde', '\\widetilde'],
    '¯': ['\\bar', '\\overline'],
    ˉ: ['\\bar', '\\overline'],
    '‾': ['\\bar', '\\overline'],
    _: ['\\bar', '\\overline'],
    '―': ['\\bar', '\\overline'],
    '−': ['\\bar', '\\overline'],
    '-': ['\\bar', '\\overline'],
    '\u0304': ['\\bar', '\\overline'],
    '\u0305': ['\\bar', '\\overline'],
    '→': ['\\vec', '\\overrightarrow'],
    '⃗': ['\\vec', '\\overrightarrow'],
    '⇀': ['\\vec', '\\overrightarrow'],
    '←': ['\\overleftarrow', '\\overleftarrow'],
    '↔': ['\\overleftrightarrow', '\\overleftrightarrow'],
    '˙': ['\\dot', '\\dot'],
    '.': ['\\dot', '\\dot'],
    '\u0307': ['\\dot', '\\dot'],
    '¨': ['\\ddot', '\\ddot'],
    '..': ['\\ddot', '\\ddot'],
    '\u0308': ['\\ddot', '\\ddot'],
    '⃛': ['\\dddot', '\\dddot'],
    '...': ['\\dddot', '\\dddot'],
    '´': ['\\acute', '\\acute'],
    '\u0301': ['\\acute', '\\acute'],
    '`': ['\\grave', '\\grave'],
    '\u0300': ['\\grave', '\\grave'],
    ˇ: ['\\check', '\\check'],
    '\u030C': ['\\check', '\\check'],
    '˘': ['\\breve', '\\breve'],
    '\u0306': ['\\breve', '\\breve'],
    '˚': ['\\mathring', '\\mathring'],
    '\u030A': ['\\mathring', '\\mathring'],
    '⏞': ['\\overbrace', '\\overbrace'],
    '︷': ['\\overbrace', '\\overbrace'],
  }),
)

/** Characters below a base: lines and braces. */
export const underAccents: ReadonlyMap<string, string> = new Map(
  Object.entries({
    _: '\\underline',
    '¯': '\\underline',
    '‾': '\\underline',
    '―': '\\underline',
    '−': '\\underline',
    '-': '\\underline',
    '\u0332': '\\underline',
    '⏟': '\\underbrace',
    '︸': '\\underbrace',
  }),
)

/** Arrows that stretch to the text above or below them. */
export const stretchedArrows: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '→': '\\xrightarrow',
    '⟶': '\\xrightarrow',
    '←': '\\xleftarrow',
    '⟵': '\\xleftarrow',
    '↔': '\\xleftrightarrow',
    '⇒': '\\xRightarrow',
    '⟹': '\\xRightarrow',
    '⇐': '\\xLeftarrow',
    '⇔': '\\xLeftrightarrow',
    '↦': '\\xmapsto',
    '⇌': '\\xrightleftharpoons',
    '=': '\\xlongequal',
  }),
)
