import type { ReachingTest } from './tally.ts'

/** Names a test within its file. pytest puts the path before the name: `tests/test_price.py::test_tax`. */
export function namedTest({ file, test }: ReachingTest, pathOf: (file: string) => string) {
  const path = pathOf(file)
  const [before = '', ...within] = test?.split('::') ?? []
  const isRepeated = within.length > 0 && (path === before || path.endsWith(`/${before}`))
  return { path, name: isRepeated ? within.join('::') : test }
}
