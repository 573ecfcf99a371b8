const maxNameLength = 60
const maxExtensionLength = 10

/** Device names of Windows, with any extension. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/**
 * A text as a file or folder name that is valid on every common system: without separators, control characters, and
 * leading or trailing dots or spaces; at most 60 characters before an extension. Never empty.
 */
export function safeName(text: string, fallback: string): string {
  const plain = text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[. ]+/, '')
    .replace(/[. ]+$/, '')
  if (plain === '') return fallback
  const name = clip(plain)
  return device.test(name) ? `_${name}` : name
}

function clip(name: string): string {
  const characters = [...name]
  if (characters.length <= maxNameLength) return name
  const dot = characters.lastIndexOf('.')
  const extension = dot > 0 && characters.length - dot <= maxExtensionLength ? characters.slice(dot) : []
  return (
    characters
      .slice(0, maxNameLength)
      .join('')
      .replace(/[. ]+$/, '') + extension.join('')
  )
}
