import { dirname, join } from 'node:path/posix'
import { testRole, type TestRole } from '../test-names/roles.ts'
import type { FailureText, FingerprintOptions } from './failure-text.ts'
import { isForeign } from './first-frame.ts'
import { innermostFirst, type ReadFrame } from './stack-frames.ts'
import { isAbsolute, relativePath } from './text.ts'

export interface OwnFrame {
  /** The path in the repository; on the JVM, that of the class in its package. */
  file: string
  /** Undefined for product code. */
  role: TestRole | undefined
  /** The line of the stack. */
  text: string
}

const maxFrames = 500
const maxRead = 64_000

/**
 * Yields the positions in the project that a failure names, the innermost first. Unlike `firstFrame`, the files depend on
 * this failure only, and not on what is known about the repository, so that they are the same in every report.
 */
export function* ownFrames(failure: FailureText, options: FingerprintOptions): Generator<OwnFrame, undefined> {
  const guessed: OwnFrame[] = []
  let isKnown = false
  for (const text of [failure.stack, failure.message]) {
    if (text === null || text === '' || isKnown) continue
    let count = 0
    for (const frame of innermostFirst(text.slice(0, maxRead))) {
      if (count++ === maxFrames) break
      const file = fileOf(frame, failure, options)
      if (file !== null) {
        isKnown = true
        yield { file, role: roleOf(file, failure), text: frame.text }
      } else if (!isKnown) {
        const guess = guessOf(frame)
        if (guess !== null) guessed.push({ file: guess, role: roleOf(guess, failure), text: frame.text })
      }
    }
  }
  if (!isKnown) yield* guessed
}

function fileOf({ path, isBare }: ReadFrame, { file, suite }: FailureText, options: FingerprintOptions): string | null {
  const { roots, directory = '' } = options
  if (!isBare) {
    const relative = relativePath(path, roots)
    if (relative === null || isForeign(relative)) return null
    return isAbsolute(path) ? relative : join(directory, relative)
  }
  // `go test` names files without their folder, which is that of the test.
  if (path.endsWith('.go')) return file?.endsWith('.go') ? join(dirname(file), path) : path
  const own = (file === null ? suite.replaceAll('.', '/') : classPath(file)).split('/')
  const shared = own.slice(0, Math.min(2, own.length - 1)).join('/')
  // A test without a package calls classes without one.
  const isOwn = shared === '' ? !path.includes('/') : path.startsWith(`${shared}/`)
  return isOwn ? path : null
}

/** Programs and libraries of the machine. */
const ofSystem =
  /^(?:\/(?:usr|lib|rustc|nix|snap|proc|System|Library|opt\/hostedtoolcache|root\/sdk)\/|[A-Za-z]:\/(?:Program Files|Windows|hostedtoolcache))/

/** Returns the end of an absolute path of unknown meaning, which is the same on every machine. */
function guessOf({ path, isBare }: ReadFrame): string | null {
  const given = path.replaceAll('\\', '/').replace(/^file:\/\/(?:\/(?=[A-Za-z]:))?/, '')
  if (isBare || !/^(?:\/|[A-Za-z]:\/)/.test(given) || ofSystem.test(given) || isForeign(given)) return null
  return given.split('/').slice(-2).join('/')
}

/** Folders and files with helpers of tests in product code. */
const ofTesting = /(?:^|\/)_?(?:testing|test-?(?:kit|lib)|testutils?)[/.]/i

const roles = new Map<string, TestRole | undefined>()
const maxRoles = 5_000

/** Remembers roles, because the failures of a run name few files. */
export function roleOf(path: string, { file, suite }: Pick<FailureText, 'file' | 'suite'>): TestRole | undefined {
  // Unit tests of Rust are in the files that they test.
  if (file !== null && !path.endsWith('.rs') && (file === path || file.endsWith(`/${path}`))) return 'test'
  // The suite is the class of the test, with those inside it.
  if (ofJvm.test(path) && (suite.split(/[^\w.]/, 1)[0] ?? '').replaceAll('.', '/') === path.replace(ofJvm, ''))
    return 'test'
  let known = roles.get(path)
  if (known === undefined && !roles.has(path)) {
    if (roles.size >= maxRoles) roles.clear()
    roles.set(path, (known = testRole(path) ?? (ofTesting.test(path) ? 'support' : undefined)))
  }
  return known
}

const ofJvm = /\.(?:java|kt|scala|groovy)$/

/** Returns the path of a class in its package, which is all that a stack of the JVM shows. */
export const classPath = (file: string) =>
  ofJvm.test(file) ? file.replace(/^(?:.*\/)?(?:java|kotlin|scala|groovy)\//, '').replace(ofJvm, '') : file
