import { join } from 'node:path/posix'
import { detectLanguage } from '../languages/detect.ts'
import { testRole } from '../test-names/roles.ts'
import { fileEndingWith, isForeign } from '../reports/first-frame.ts'
import { framesOf, type ReadFrame } from '../reports/stack-frames.ts'
import { relativePath } from '../reports/text.ts'

export interface Place {
  file: string
  line: number
}

export interface Surroundings {
  /** The path of the verified test, relative to the repository; null if there is none. */
  testPath: string | null
  /** The path of the repository that the run saw. */
  root: string
  /** The folder of the repository in which the command ran. */
  directory: string
  /** The files of the repository. Stack frames of the JVM name them without their folder. */
  files: ReadonlySet<string>
}

const maxFrames = 500
const maxTextLength = 16_000

export interface FailurePlace {
  /** The innermost position in the project. */
  place: Place | null
  /** Whether the position is in tested code, not in a test or test helper. */
  isSource: boolean
  /** Whether the innermost frame of the whole stack is in the test. */
  isThrownByTest: boolean
  /** The lines of the test file in the stack. */
  testLines: number[]
}

export function placeOfFailure(text: string, around: Surroundings): FailurePlace {
  const frames = framesOf(text.slice(-maxTextLength)).slice(0, maxFrames)
  const innermostFirst = frames.some(({ lastIsInnermost }) => lastIsInnermost) ? frames.toReversed() : frames
  const places = innermostFirst.map((frame) => projectPlace(frame, around))
  const place = places.find((found) => found !== null) ?? null
  return {
    place,
    isSource: place !== null && isSource(place.file, around.testPath),
    isThrownByTest: places[0]?.file !== undefined && places[0].file === around.testPath,
    testLines: [...new Set(places.flatMap((found) => (found?.file === around.testPath ? (found?.line ?? []) : [])))],
  }
}

/** Returns the calls of a stack that are in the project, in the order of the text. */
export function callsInProject(text: string, around: Surroundings): { place: Place; line: string }[] {
  return text.split('\n').flatMap((line) => {
    const [frame] = framesOf(line)
    const place = frame && projectPlace(frame, around)
    return place ? [{ place, line }] : []
  })
}

/** Resolves a path of a stack frame. Relative paths start at the folder of the command. */
function projectPlace({ path, line, isBare }: ReadFrame, around: Surroundings): Place | null {
  const { root, directory, testPath, files } = around
  if (isBare && !path.endsWith('.go')) {
    const file = fileEndingWith(path, files)
    return file === null ? null : { file, line }
  }
  const isAbsolute = /^(?:\/|file:|[A-Za-z]:)/.test(path)
  // `go test` names files without their folder, which is the folder of the test.
  const from = isBare && testPath?.endsWith('.go') ? testPath.slice(0, testPath.lastIndexOf('/') + 1) : directory
  const file = isAbsolute ? relativePath(path, [root]) : relativePath(join(from, path), [])
  const isOthers = path.startsWith('node:') || /(?:^|\/)_testmain\.go$/.test(path)
  return file === null || isForeign(file) || isOthers ? null : { file, line }
}

function isSource(file: string, testPath: string | null): boolean {
  return file !== testPath && testRole(file, detectLanguage(file, null)) === undefined
}
