import { expect, test } from 'vitest'
import { detectLanguage } from '../../../src/imports/ocr/detect-language.ts'
import { candidateLanguages, isLanguage, tesseractLanguage } from '../../../src/imports/ocr/languages.ts'

test.for([
  ['de', 'deu'],
  ['de-AT', 'deu'],
  ['EN_us', 'eng'],
  ['zh-TW', 'chi_tra'],
  ['zh-Hant-HK', 'chi_tra'],
  ['zh', 'chi_sim'],
  ['tlh', null],
  ['', null],
  [null, null],
] as const)('the language %s is read as %s', ([tag, name]) => {
  expect(tesseractLanguage(tag)).toBe(name)
})

test('languages of the script of a page are tried first, then other installed ones', () => {
  const installed = ['deu', 'eng', 'rus', 'ukr', 'xyz']
  expect(candidateLanguages(installed, 'Cyrillic')).toEqual(['rus', 'ukr'])
  expect(candidateLanguages(installed, 'Thai')).toEqual(['eng', 'deu', 'rus', 'ukr'])
  expect(candidateLanguages(['xyz'], null)).toEqual(['xyz'])
})

test('other installed models are not languages', () => {
  const listed = ['List of available languages in "/usr/share/" (3):', 'eng', 'osd', 'equ', 'chi_sim', '']
  expect(listed.filter(isLanguage)).toEqual(['eng', 'chi_sim'])
})

test.for([
  ['eng', 'The keeper of the lighthouse wrote that the weather was good and that a ship was lost by the rocks.'],
  ['deu', 'Der Wachter des Leuchtturms schrieb, dass das Wetter gut und ein Schiff auf den Felsen zerschellt ist.'],
  ['fra', 'Le gardien du phare a note que les bateaux sont dans le port et que le temps est beau pour la saison.'],
  [null, 'Herring 12, quay 7, granite 44'],
  [null, '第一行第二行'],
] as const)('the language of a text is detected as %s by its frequent words', ([language, text]) => {
  expect(detectLanguage(text)).toBe(language)
})

test('a text between two languages is in the one that is installed', () => {
  const text = 'Er hat den Zweck, die Seite zu füllen. Er hat den Sinn, den er hat. Er ist dies.'
  expect(detectLanguage(text)).toBeNull()
  expect(detectLanguage(text, ['deu', 'eng'])).toBe('deu')
})
