import { detectLanguage } from '../languages/detect.ts'
import { dialectOf } from '../parsing/dialects.ts'
import { nestsTooDeep } from '../parsing/nesting.ts'
import { switchGo } from './go/switch.ts'
import { switchJavaScript } from './javascript/switch.ts'
import type { SwitchWork } from './switched-source.ts'

/** The task of `switchMutants`. */
const work: SwitchWork = ({ path, source, mutants, without }) => {
  const dialect = dialectOf(detectLanguage(path, Buffer.from(source)), path)
  switch (dialect) {
    case 'js':
    case 'jsx':
    case 'ts':
    case 'tsx':
      return nestsTooDeep(source) ? null : switchJavaScript(source, dialect, mutants, new Set(without))
    case 'go':
      return switchGo(path, source, mutants, new Set(without))
    default:
      return null
  }
}

export default work
