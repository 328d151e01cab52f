import type { TestCase } from './report.ts'

const source = /^(?:.*\/)?([A-Z]\w*)\.(?:java|kt|groovy|scala)$/
const className = /^(?:[a-z_]\w*\.)*[A-Z]\w*(?=$|\$| > )/

/**
 * Finds the files of tests that are identified only by their class, as on the JVM. Returns no file if several files
 * match.
 *
 * @param paths - the files of the repository
 */
export function classFiles(paths: readonly string[]): (test: TestCase) => TestCase {
  const byClass = Map.groupBy(
    paths.filter((path) => source.test(path)),
    (path) => source.exec(path)?.[1] ?? '',
  )
  const fileOf = (suite: string): string | null => {
    const [name] = className.exec(suite) ?? []
    if (name === undefined) return null
    const place = `/${name.replaceAll('.', '/')}.`
    const found = byClass.get(name.slice(name.lastIndexOf('.') + 1))?.filter((path) => `/${path}`.includes(place))
    return found?.length === 1 ? (found[0] ?? null) : null
  }
  return (test) => (test.file === null && byClass.size > 0 ? { ...test, file: fileOf(test.suite) } : test)
}
