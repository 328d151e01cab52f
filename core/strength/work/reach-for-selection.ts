import { lineCounter } from '../../../engines/parsing/javascript/lines.ts'
import type { CodeParts } from '../../../engines/strength/code-parts.ts'
import type { TestRecord } from '../../../engines/strength/kept.ts'
import type { Ranges } from '../../../engines/coverage/ranges.ts'
import type { SeenReach } from '../../../engines/selection/reach-record.ts'
import type { ReachOfTest } from '../../../engines/selection/types.ts'
import type { OpenedSource } from '../../workspaces/source.ts'
import type { TestSources } from './read-tests.ts'

interface Seen {
  /** The records of the test files of which all tests ran. */
  records: readonly TestRecord[]
  code: ReadonlyMap<string, CodeParts>
  /** The sources of the code, by path. */
  files: ReadonlyMap<string, string>
  tests: Pick<TestSources, 'unseen' | 'supportIsUnseen'>
  /** The runners of the measured tests. */
  frameworks: ReadonlySet<string | null>
  /** Whether a function that does not run can fail a test, because the runner checks types. */
  checksTypes: boolean
}

/**
 * Returns what the test files were seen to run, for selections. Code of Go is left out, because the compiler checks
 * functions that no test calls.
 */
export function reachForSelection({ records, code, files, tests, frameworks, checksTypes }: Seen): SeenReach {
  // Nobody sees which tests load code without mutants.
  const isUnseenAnywhere = tests.supportIsUnseen || [...tests.unseen].some((path) => files.has(path) && !code.has(path))
  const sharesProcess = (path: string) => ofLanguage(path).some((framework) => frameworks.has(framework))
  const watched = new Map<string, Ranges>()
  const functions = new Map<string, ReadonlyMap<string, readonly [number, number]>>()
  for (const [path, { units }] of code) {
    if (path.endsWith('.go') || (checksTypes && /\.[cm]?tsx?$/.test(path))) continue
    const lineAt = lineCounter(files.get(path) ?? '')
    const inner = new Map<string, readonly [number, number]>()
    for (const { key, start, end } of units) {
      const [first, last] = [lineAt(start), lineAt(end)]
      // Elsewhere the first and the last line have the brackets, and may have parameters.
      const own = path.endsWith('.py') ? ([first, last] as const) : ([first + 1, last - 1] as const)
      if (own[0] <= own[1]) inner.set(key, own)
    }
    functions.set(path, inner)
    watched.set(path, [...inner.values()])
  }
  return {
    watched,
    tests: records.map(({ path, files: loaded }): ReachOfTest => {
      const seen = Object.entries(loaded).filter(([file]) => watched.has(file))
      const isUnseen = [path, ...Object.keys(loaded)].some((file) => tests.unseen.has(file))
      return {
        file: path,
        isComplete: !isUnseen && !isUnseenAnywhere && !sharesProcess(path),
        files: new Map(
          seen.map(([file, { parts }]) => [
            file,
            parts && parts.units.flatMap((unit) => [functions.get(file)?.get(unit) ?? []].filter(isRange)),
          ]),
        ),
      }
    }),
  }
}

/**
 * The runners that run all test files in one process. There a function that keeps its result runs only for the first file
 * that needs it, and the others seem not to depend on it.
 */
const ofLanguage = (path: string) => (path.endsWith('.py') ? ['pytest', 'unittest'] : ['mocha'])

/** Whether the runner of TypeScript compiles all of a file before its tests run, so that a type error anywhere fails them. */
export async function checksTypes({ tree }: Pick<OpenedSource, 'tree'>): Promise<boolean> {
  for (const path of tree.paths.filter((one) => manifest.test(one)).slice(0, maxManifests)) {
    if (checker.test((await tree.read(path)) ?? '')) return true
  }
  return false
}

const maxManifests = 200
const manifest = /(?:^|\/)(?:package\.json|\.mocharc\.\w+|jest\.config\.\w+)$/
const checker = /\bts-jest\b|\bts-node\b/

const isRange = (lines: readonly [number, number] | readonly []): lines is readonly [number, number] =>
  lines.length === 2
