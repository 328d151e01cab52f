import { testIdentities } from '../../engines/reports/identity.ts'
import { gitIn } from './repositories.ts'

/** A test that the repository has. */
export interface KnownTest {
  id: string
  suite: string
  name: string
  file: string
  line: number
}

/** A file of the repository that tests can cover. */
export interface SourceFile {
  path: string
  lines: readonly string[]
  /** The lines with code, from 1. */
  code: readonly number[]
}

/** What the data of a project is made of. */
export interface Sources {
  tests: readonly KnownTest[]
  files: readonly SourceFile[]
  /** The text of the files with tests, by path. */
  testFiles: ReadonlyMap<string, string>
}

const maxFileBytes = 200_000
const isTestFile = (path: string) =>
  /\.(?:test|spec)\.[cm]?[jt]sx?$/.test(path) || /(?:^|\/)tests?\/[^/]+\.[cm]?[jt]sx?$/.test(path) || isForeign(path)
const isForeign = (path: string) => /(?:^|\/)test_[^/]+\.py$/.test(path) || path.endsWith('_test.go')
const isCode = (path: string) => /\.(?:[cm]?[jt]sx?|py|go)$/.test(path)

/** Reads the tests and the sources of the checked out commit. */
export async function readSources(path: string): Promise<Sources> {
  const git = gitIn(path)
  const paths = (await git('ls-files')).split('\n').filter((file) => isCode(file) && !file.endsWith('.d.ts'))
  const tests: KnownTest[] = []
  const files: SourceFile[] = []
  const testFiles = new Map<string, string>()
  const { keyOf } = testIdentities()
  const known = new Set<string>()
  for (const file of paths) {
    const text = await git('show', `HEAD:${file}`)
    if (text.length > maxFileBytes) continue
    const lines = text.split('\n')
    if (!isTestFile(file)) {
      const code = lines.flatMap((line, index) => (isStatement(line) ? [index + 1] : []))
      if (code.length > 3) files.push({ path: file, lines, code })
      continue
    }
    testFiles.set(file, text)
    for (const { line, ...named } of testsIn(file, lines)) {
      const key = JSON.stringify([named.suite, named.name])
      // A second test of the same name would get another id in the reports of a runner.
      if (!known.has(key)) tests.push({ id: keyOf({ ...named, file }), ...named, file, line })
      known.add(key)
    }
  }
  return { tests, files, testFiles }
}

function testsIn(file: string, lines: readonly string[]): Omit<KnownTest, 'id' | 'file'>[] {
  let suite = file
  return lines.flatMap((text, index) => {
    const group = quotedAfter(text, 'describe(')
    if (group !== undefined) suite = group
    const name = quotedAfter(text, 'test(') ?? quotedAfter(text, 'it(') ?? namedFunction(text)
    return name === undefined ? [] : [{ suite, name, line: index + 1 }]
  })
}

/** Returns the text in quotes that follows the call, as in `test('adds up', ...)`. */
function quotedAfter(text: string, call: string): string | undefined {
  const at = text.trimStart().startsWith(call) ? text.indexOf(call) : text.indexOf(` ${call}`) + 1
  const start = (at <= 0 && !text.startsWith(call) ? text.indexOf(`.${call}`) + 1 : at) + call.length
  const quote = text[start]
  if (!text.includes(call) || (quote !== "'" && quote !== '"' && quote !== '`')) return undefined
  const end = text.indexOf(quote, start + 1)
  return end > start + 1 ? text.slice(start + 1, end) : undefined
}

function namedFunction(text: string): string | undefined {
  return /^ *(?:async )?def (test_\w+)/.exec(text)?.[1] ?? /^func (Test\w+)/.exec(text)?.[1]
}

function isStatement(line: string): boolean {
  const text = line.trim()
  return /\w/.test(text) && !/^(?:\/\/|\/?\*|#)/.test(text)
}
