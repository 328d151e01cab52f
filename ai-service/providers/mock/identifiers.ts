import { splitCamelCase } from '../../../engines/test-names/test-name.ts'

const wordsOf = (sentence: string) => sentence.toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '') // prettier-ignore

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** `handles input` as `handles_input`. */
export const snakeCase = (sentence: string) => wordsOf(sentence).join('_')

/** `handles input` as `HandlesInput`. */
export const pascalCase = (sentence: string) => wordsOf(sentence).map(capital).join('')

/** `handles input` as `handlesInput`. */
export const camelCase = (sentence: string) => sentence.charAt(0).toLowerCase() + pascalCase(sentence).slice(1)

/** `Store.loadAll` as `Store_LoadAll`. */
export const capitalized = (names: readonly string[]) => names.map((name) => capital(name.replace(/^_+/, ''))).join('_')

/** `Store.loadAll` as `store_load_all`. */
export const snakeNames = (names: readonly string[]) => snakeCase(splitCamelCase(names.join(' ')))

/** Operators as words, those first that contain others. */
const spoken: readonly (readonly [string, string])[] = [
  ['=>', ' '],
  ['->', ' '],
  ['!==', ' differs from '],
  ['!=', ' differs from '],
  ['===', ' equals '],
  ['==', ' equals '],
  ['<=', ' at most '],
  ['>=', ' at least '],
  ['<', ' less than '],
  ['>', ' more than '],
  ['&&', ' and '],
  ['||', ' or '],
  ['!', ' not '],
]
const maxWords = 12

/** Returns a different name of plain words for each sentence, for languages that name tests like functions. */
export function uniqueNames(sentences: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return sentences.map((sentence) => {
    const said = spoken.reduce((text, [operator, words]) => text.replaceAll(operator, words), splitCamelCase(sentence))
    const name = wordsOf(said).slice(0, maxWords).join(' ')
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name} no ${count}`
  })
}
