import { type Dialect, dialectOf } from '../parsing/dialects.ts'
import { parseLeniently } from '../parsing/javascript/parse-javascript.ts'
import { nestsTooDeep } from '../parsing/nesting.ts'
import { detectLanguage } from '../languages/detect.ts'
import { calledLines } from '../coverage/called-lines.ts'
import type { Ranges } from '../coverage/ranges.ts'
import { GoFinder } from './go/find.ts'
import { JavaScriptFinder } from './javascript/find.ts'
import type { MutantsInput } from './find-mutants.ts'
import type { Mutant } from './mutant.ts'
import { MutantList } from './mutant-list.ts'
import { PythonFinder } from './python/find.ts'
import { lineCounter } from '../parsing/javascript/lines.ts'
import { uncalledCode } from '../parsing/javascript/uncalled-code.ts'
import { readTree } from '../parsing/syntax-tree.ts'

/** Shorter than the time after which the process is stopped. */
const parseTimeoutMs = 3_000

/** Does the work of `findMutants` in this process. A hostile source can crash or block the process. */
export async function mutantsOf(
  path: string,
  source: string,
  lines: Ranges,
  covered?: MutantsInput['covered'],
): Promise<Mutant[]> {
  const list = new MutantList(path, source, lines)
  const dialect = dialectOf(detectLanguage(path, Buffer.from(source)), path)
  if (dialect) await collect(list, dialect, covered)
  return list.finish()
}

async function collect(list: MutantList, dialect: Dialect, covered: MutantsInput['covered']): Promise<void> {
  const { source } = list
  switch (dialect) {
    case 'js':
    case 'jsx':
    case 'ts':
    case 'tsx': {
      if (nestsTooDeep(source)) return
      const { program, errors } = parseLeniently(source, dialect)
      if (errors.length > 0) return
      const { uncalled = [], partial = [] } = covered ?? {}
      if (covered && uncalled.length + partial.length > 0)
        list.leaveOut(uncalledCode(program, lineCounter(source), calledLines({ ...covered, uncalled })).parts)
      new JavaScriptFinder(list, program).find(program)
      return
    }
    case 'python':
    case 'go': {
      const root = await readTree(source, dialect, parseTimeoutMs)
      if (!root) return
      if (dialect === 'python') new PythonFinder(list, root).find(root)
      else new GoFinder(list, root).find()
      return
    }
    default:
  }
}
