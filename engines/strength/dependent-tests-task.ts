import { detectLanguage } from '../languages/detect.ts'
import { dialectOf } from '../parsing/dialects.ts'
import { parseLeniently } from '../parsing/javascript/parse-javascript.ts'
import { nestsTooDeep } from '../parsing/nesting.ts'
import type { DependentTestsWork } from './dependent-tests.ts'
import { sharesState } from './shared-state.ts'

/** The task of `haveDependentTests`. */
const work: DependentTestsWork = async ({ path, source }) => {
  const dialect = dialectOf(detectLanguage(path, Buffer.from(source)), path)
  switch (dialect) {
    case 'js':
    case 'jsx':
    case 'ts':
    case 'tsx':
      return !nestsTooDeep(source) && sharesState(parseLeniently(source, dialect).program)
    default:
      return false
  }
}

export default work
