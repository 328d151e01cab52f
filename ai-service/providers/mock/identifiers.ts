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
