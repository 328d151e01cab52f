import { detectLanguage } from '../../languages/detect.ts'
import { dialectOf } from '../../parsing/dialects.ts'
import { lineCounter } from '../../parsing/javascript/lines.ts'
import { parseLeniently } from '../../parsing/javascript/parse-javascript.ts'
import { nestsTooDeep } from '../../parsing/nesting.ts'
import { readTree } from '../../parsing/syntax-tree.ts'
import { javaScriptDependences } from './javascript.ts'
import { pythonDependences } from './python.ts'
import type { FileDependences } from './read-dependences.ts'
import type { Dependences } from './schema.ts'

const parseTimeoutMs = 3_000

/** Does the work of `readDependences` for one file in this process. A hostile source can crash or block the process. */
export async function dependencesOf(path: string, source: string): Promise<FileDependences | null> {
  const read = await dependencesIn(path, source)
  if (read === null) return null
  const lineOf = lineCounter(source)
  const inOrder = read.found.toSorted((a, b) => a.at - b.at)
  return { imports: read.imports, found: inOrder.map(({ kind, what, at }) => ({ kind, what, path, line: lineOf(at) })) }
}

async function dependencesIn(path: string, source: string): Promise<Dependences | null> {
  const dialect = dialectOf(detectLanguage(path, Buffer.from(source)), path)
  switch (dialect) {
    case 'js':
    case 'jsx':
    case 'ts':
    case 'tsx': {
      if (nestsTooDeep(source)) return null
      const { program, errors } = parseLeniently(source, dialect)
      return errors.length === 0 ? javaScriptDependences(program) : null
    }
    case 'python': {
      const root = await readTree(source, dialect, parseTimeoutMs)
      return root ? pythonDependences(root, ({ start, end }) => source.slice(start, end)) : null
    }
    default:
      return null
  }
}
