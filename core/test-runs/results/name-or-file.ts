import { containsText } from '../../base/contains-text.ts'

/** Returns an SQL condition: whether the full name or the file of a row of `test_results` contains the text of `place`. */
export const nameOrFileContains = (place: string): string =>
  `${containsText("suite || ' > ' || name", place)} OR ${containsText('file', place)}`
