import { detectLanguage } from '../languages/detect.ts'
import { dialectOf } from '../parsing/dialects.ts'
import { nestsTooDeep } from '../parsing/nesting.ts'
import { readTree } from '../parsing/syntax-tree.ts'
import { switchGo } from './go/switch.ts'
import { switchJavaScript } from './javascript/switch.ts'
import { pythonHosts } from './python/hosts.ts'
import type { SwitchWork } from './switched-source.ts'

/** Shorter than the time after which the process is stopped. */
const parseTimeoutMs = 3_000

/** The task of `switchMutants`. */
const work: SwitchWork = async ({ path, source, mutants, without }) => {
  const dialect = dialectOf(detectLanguage(path, Buffer.from(source)), path)
  switch (dialect) {
    case 'js':
    case 'jsx':
    case 'ts':
    case 'tsx':
      return nestsTooDeep(source) ? null : switchJavaScript(source, dialect, mutants, new Set(without))
    case 'go':
      return switchGo(path, source, mutants, new Set(without))
    case 'python': {
      // The driver replaces the code of loaded functions itself, and reports mutants by their ids.
      const root = await readTree(source, dialect, parseTimeoutMs)
      const probes = new Map(mutants.map(({ id }) => [id, id]))
      return root ? { source, probes, hosts: pythonHosts(root, mutants), left: [] } : null
    }
    default:
      return null
  }
}

export default work
