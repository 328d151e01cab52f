import type { Counts } from './counts.ts'
import { detectLanguage } from '../../languages/detect.ts'
import { dialectOf } from '../../parsing/dialects.ts'
import { parseLeniently } from '../../parsing/javascript/parse-javascript.ts'
import { nestsTooDeep } from '../../parsing/nesting.ts'
import type { TestStyle } from '../schema.ts'
import { readTree } from '../../parsing/syntax-tree.ts'
import { goStyle } from './go.ts'
import { javaScriptStyle } from './javascript.ts'
import { pythonStyle } from './python.ts'

const parseTimeoutMs = 3_000

/** Does the work of `readTestStyle` in this process. A hostile source can crash or block the process. */
export async function styleOf(path: string, source: string): Promise<TestStyle | null> {
  const counts = await countsOf(path, source)
  if (!counts) return null
  const { assertions, mocks } = counts
  return { ...counts, mockShare: mocks === 0 ? 0 : mocks / (assertions + mocks) }
}

async function countsOf(path: string, source: string): Promise<Counts | null> {
  const dialect = dialectOf(detectLanguage(path, Buffer.from(source)), path)
  switch (dialect) {
    case 'js':
    case 'jsx':
    case 'ts':
    case 'tsx': {
      if (nestsTooDeep(source)) return null
      const { program, errors } = parseLeniently(source, dialect)
      return errors.length === 0 ? javaScriptStyle(program) : null
    }
    case 'python':
    case 'go': {
      const root = await readTree(source, dialect, parseTimeoutMs)
      if (!root) return null
      const text = ({ start, end }: { start: number; end: number }) => source.slice(start, end)
      return dialect === 'python' ? pythonStyle(root, text) : goStyle(root, text)
    }
    default:
      return null
  }
}
