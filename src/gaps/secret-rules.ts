import type { Rule } from './redaction-rule.ts'

/** Key prefixes of services, designed for secret scanners, and the pattern after them. */
const prefixedKeys = [
  // Keys of this service: complete ones anywhere, and parts of one.
  /(?:lectern|ck)_[0-9A-Za-z]{40}/,
  /(?<![A-Za-z0-9])ck_oauth_[\w-]{12,}/,
  /(?<![A-Za-z0-9])(?:lectern|ck)_(?=[A-Za-z]*\d|[a-z]*[A-Z]|[A-Z]+[a-z])[0-9A-Za-z]{20,}/,
  // Amazon, Google, Azure
  /(?<![A-Za-z0-9])(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])/,
  /(?<![A-Za-z0-9])AIza[\w-]{30,}/,
  /(?<![A-Za-z0-9])ya29\.[\w-]{20,}/,
  /(?<![A-Za-z0-9])GOCSPX-[\w-]{20,}/,
  // Code hosts and registries
  /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{20,}/,
  /(?<![A-Za-z0-9])github_pat_\w{20,}/,
  /(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|soat|cbt|ft|oas|agent)-[\w-]{20,}/,
  /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}/,
  /(?<![A-Za-z0-9])pypi-[\w-]{40,}/,
  /(?<![A-Za-z0-9])(?:rubygems_[0-9a-f]{40,}|dckr_pat_[\w-]{20,}|cio[A-Za-z0-9]{32})/,
  // Model providers. A run of 16 letters and digits distinguishes a key from hyphenated words.
  /(?<![A-Za-z0-9])sk-(?:[A-Za-z0-9]+-){0,4}[A-Za-z0-9_]{16,}[\w-]*/,
  /(?<![A-Za-z0-9])sk-ant-[\w-]{16,}/,
  /(?<![A-Za-z0-9])(?:hf_|gsk_|pplx-|xai-|r8_|tvly-)[A-Za-z0-9-]{24,}/,
  // Chat, mail, phone
  /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /(?<![A-Za-z0-9])xapp-\d-[A-Za-z0-9-]{10,}/,
  /(?<=hooks\.slack\.com\/(?:services|workflows)\/)[\w/]{20,}/,
  /(?<=discord(?:app)?\.com\/api\/webhooks\/)\d+\/[\w-]{20,}/,
  /(?<![A-Za-z0-9])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}/,
  /(?<!\w)\d{8,10}:[A-Za-z0-9_-]{35}(?![\w-])/,
  /(?<![A-Za-z0-9])SG\.[\w-]{16,}\.[\w-]{16,}/,
  /(?<![A-Za-z0-9])(?:AC|SK)[0-9a-f]{32}(?![A-Za-z0-9])/,
  /(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?!\w)/,
  // Payment and shops
  /(?<![A-Za-z0-9])(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}/,
  /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/]{20,}={0,2}/,
  /(?<![A-Za-z0-9])sq0[a-z]{3}-[\w-]{22,}/,
  /(?<![A-Za-z0-9])shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/,
  // Infrastructure and developer tools
  /(?<![A-Za-z0-9])do[opr]_v1_[0-9a-f]{40,}/,
  /(?<![A-Za-z0-9])hv[sbr]\.[\w-]{20,}/,
  /(?<![A-Za-z0-9])dapi[0-9a-f]{32}/,
  /(?<![A-Za-z0-9])(?:glc|glsa|lin_api|lin_oauth|ntn|figd|figo|sbp|pscale_(?:tkn|pw|oauth))_[\w.-]{20,}/,
  /(?<![A-Za-z0-9])dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9]{30,}/,
  /AGE-SECRET-KEY-1[0-9A-Z]{50,}/,
]

/** Words that follow these names in examples and declarations without being secrets. */
const placeholders = /^(?:password|passwd|pwd|secret|string|str|none|null|nil|true|false|undefined|required|optional)$/i

/** The length of a password; 0 for a placeholder, and for code that passes or computes the value. */
function secretLength(value: string, rest: string): number {
  return placeholders.test(value) || /^[\w.]*\(/.test(rest) || /^\[\w+(?: \w+)?\]/.test(rest) ? 0 : value.length
}

const passwordName = /(?:passw(?:or)?d|passphrase|passcode|passwort|pwd)/.source
const keyName = /(?:(?:secret|private|access|api|auth|session|signing|encryption|account)[ _-]?key|secret|token)/.source

/** Keys, tokens and passwords in their usual notations. */
export const secretRules: readonly Rule[] = [
  {
    replacement: '[private key]',
    pattern: /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/g,
  },
  // A private key whose end is missing
  {
    replacement: '[private key]',
    pattern: /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]*?[A-Za-z0-9+/]{16})[\s\S]*/g,
  },
  // RFC 3986, section 3.2.1
  { replacement: '[password]', pattern: /(?<=[a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>@:]*:[^\s/?#"'<>]+(?=@)/gi },
  // RFC 7515 and RFC 7516, compact serialization: both start with base64url of `{"`
  { replacement: '[token]', pattern: /eyJ[\w-]{5,}\.[\w-]*(?:\.[\w-]*){1,3}/g },
  // RFC 6750 and 7617
  {
    replacement: '[token]',
    pattern: /(?<=\bBearer\s+)(?=[\w.~+/-]*\d|[\w.~+/-]{32})[\w.~+/-]{16,}=*/gi,
  },
  {
    replacement: '[token]',
    pattern: /(?<=\bauthorization["']?\s*[:=]\s*["']?(?:basic|token|apikey)\s+)(?=[a-z]*[A-Z0-9=+/])[\w.+/-]{8,}=*/gi,
  },
  ...prefixedKeys.map((pattern) => ({ replacement: '[key]', pattern: new RegExp(pattern, 'g') })),
  {
    replacement: '[password]',
    pattern: new RegExp(`(?<=${passwordName}["']?(?:\\s*(?:=>|:=|=)\\s*["']?|\\s*:\\s*["']))[^\\s"',;&<>()]{4,}`, 'gi'),
    length: secretLength,
  },
  {
    replacement: '[password]',
    pattern: new RegExp(`(?<=${passwordName}(?:\\s*:\\s*|\\s+is\\s+))(?=[^\\s]*\\d)[^\\s"',;&<>()]{4,}`, 'gi'),
    length: secretLength,
  },
  {
    replacement: '[key]',
    pattern: new RegExp(`(?<=${keyName}["']?\\s*(?:=>|:=|=|:)\\s*["']?)(?=[^\\s]*\\d)[\\w.~+/=-]{12,}`, 'gi'),
    length: secretLength,
  },
  {
    replacement: '[key]',
    pattern: /(?<=[?&](?:sig|key|code|access_token|X-Amz-Signature)=)(?=[^\s&]*\d)[^\s&"'<>[\]]{12,}/gi,
  },
  // Words and identifiers are shorter between separators and contain fewer digits.
  {
    replacement: '[key]',
    pattern: /(?<![A-Za-z0-9])(?=(?:[A-Za-z]*\d){4})(?=\d*[A-Za-z])[A-Za-z0-9]{32,}(?![A-Za-z0-9])/g,
  },
]
