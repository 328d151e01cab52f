import { anyFolder } from '../test-names/conventions.ts'
import { collectsFile } from './describe-testing.ts'
import type { TestingPart } from './schema.ts'

/** Folders of product code, which runners search for examples in comments as well. */
const ofProduct = /^(?:src|lib|app|source|packages|pkg|include)$/i
/** Collected by unittest. It is also the name of many modules that help tests. */
const ambiguous = 'test*.py'

/**
 * Returns the test for files that the commands of a run name as tests: `test.py`, `checks/*.js`. Conventions do not know
 * such files. A command that collects every file of a language, perhaps to find examples in comments, names none.
 */
export function namedTests(testing: readonly TestingPart[]): (path: string) => boolean {
  const parts = testing.flatMap((part): TestingPart[] => {
    const testFiles = part.testFiles?.filter((glob) => glob.startsWith('!') || namesTests(glob)) ?? []
    return testFiles.length > 0 ? [{ ...part, testFiles }] : []
  })
  return (path) => parts.some((part) => collectsFile(part, path) === true)
}

function namesTests(glob: string): boolean {
  const folders = glob.split('/')
  const name = folders.pop() ?? ''
  if (name === ambiguous) return false
  // `*.py`, `*.{js,ts}`, `**`
  const isAnyName = name.startsWith('*') && /^\*+(?:\.[\w{},]*)?$/.test(name)
  if (!isAnyName) return true
  const end = folders.findIndex((folder) => /[*?[{]/.test(folder))
  const fixed = end === -1 ? folders : folders.slice(0, end)
  return (
    folders.some((folder) => anyFolder.test(folder)) || (fixed.length > 0 && !fixed.some((one) => ofProduct.test(one)))
  )
}
