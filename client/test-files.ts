import { stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { withBorrowed } from './borrowed-repository.ts'
import { describeLocalRepository } from './local-repository.ts'
import { type LocalTestFile, readLocalTestFile } from './local-test-file.ts'
import { cleanName, shorten } from './sanitize.ts'
import { UserError } from './user-error.ts'

/** More tests at once are a mistake rather than a wish: each one runs many times. */
const maxTests = 200

/** Whether a path names a folder. */
export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/**
 * Reads test files of one checkout. A folder stands for the tests in it that git does not ignore.
 *
 * @param paths - absolute
 * @throws UserError if a file cannot be read, if a folder has no tests, and for files of different checkouts
 */
export async function readTestFiles(paths: readonly string[]): Promise<LocalTestFile[]> {
  const files: string[] = []
  for (const path of paths) files.push(...((await isFolder(path)) ? await testsIn(path) : [path]))
  const unique = [...new Set(files)]
  if (unique.length > maxTests) {
    throw new UserError(`These are ${unique.length} tests. Name at most ${maxTests} at once.`)
  }
  const tests: LocalTestFile[] = []
  for (const path of unique) tests.push(await readLocalTestFile(path))
  const roots = new Set(tests.map(({ repository }) => repository.root))
  if (roots.size > 1) throw new UserError(`The tests belong to ${roots.size} checkouts. Verify those of one at once.`)
  return tests
}

async function testsIn(folder: string): Promise<string[]> {
  const shown = shorten(cleanName(folder), 400)
  const { root } = await describeLocalRepository(folder)
  const [{ listWorkingFiles }, { kindOfFile }] = await Promise.all([
    import('../engines/source/working-list.ts'),
    import('../engines/verdicts/change/changed-files.ts'),
  ])
  const listed = await withBorrowed(root, ({ repository, gitDir, signal }) =>
    listWorkingFiles({ top: root, repository, gitDir, maxFiles: Infinity, signal }),
  )
  const below = relative(root, resolve(folder)).split(sep).join('/')
  const paths = (listed ?? [])
    .map(({ name }) => name.toString())
    .filter((path) => (below === '' || path.startsWith(`${below}/`)) && kindOfFile(path) === 'test')
    .toSorted()
    .map((path) => join(root, path))
  const there = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
  const tests = paths.filter((_, index) => there[index]?.isFile() === true && there[index].size > 0)
  if (tests.length === 0) throw new UserError(`${shown} has no test files that git does not ignore.`)
  return tests
}
