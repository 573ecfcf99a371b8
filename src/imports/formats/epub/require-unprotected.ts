import { FormatError } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import { attribute, child, children, parseXml } from './xml.ts'

const encryptionPath = 'META-INF/encryption.xml'
/**
 * The two methods for obfuscating embedded fonts (EPUB 3.3, section 4.3, and Adobe's), which leave the text readable.
 */
const fontObfuscation = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC'])

/** Throws `DRM` if the files of the book are encrypted. Obfuscated fonts are allowed. */
export async function requireUnprotected(archive: Archive): Promise<void> {
  if (!archive.paths.includes(encryptionPath)) return
  const encryption = child(parseXml(await archive.read(encryptionPath), encryptionPath), 'encryption')
  for (const kind of ['EncryptedData', 'EncryptedKey']) {
    for (const encrypted of children(encryption, kind)) {
      const algorithm = attribute(child(encrypted, 'EncryptionMethod'), 'Algorithm')
      if (algorithm === null || !fontObfuscation.has(algorithm)) {
        throw new FormatError('DRM', `${encryptionPath} names encrypted content (${algorithm ?? 'no algorithm given'})`)
      }
    }
  }
}
