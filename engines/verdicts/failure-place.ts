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
  /** The test, relative to the repository; null where a failure is nobody's in particular. */
  testPath: string | null
  /** The repository, as the run saw it. */
  root: string
  /** Where in it the run was. */
  directory: string
  /** Files of the repository, which frames of the JVM name without their folder. */
  files: ReadonlySet<string>
}

const maxFrames = 500
const longest = 16_000

/** Where a failure happened: the innermost place in the project, and what was called last of all, if that is the test. */
export interface FailurePlace {
  place: Place | null
  /** Code that is tested: neither a test nor what serves tests. */
  isSource: boolean
  /** Nothing was called from there, be it of the project or of a library. */
  isThrownByTest: boolean
}

export function placeOfFailure(text: string, around: Surroundings): FailurePlace {
  const frames = framesOf(text.slice(-longest)).slice(0, maxFrames)
  const innermostFirst = frames.some(({ lastIsInnermost }) => lastIsInnermost) ? frames.toReversed() : frames
  const places = innermostFirst.map((frame) => projectPlace(frame, around))
  const place = places.find((found) => found !== null) ?? null
  return {
    place,
    isSource: place !== null && isSource(place.file, around.testPath),
    isThrownByTest: places[0]?.file !== undefined && places[0].file === around.testPath,
  }
}

/** The calls of a stack that are in the project, in the order of the text. */
export function callsInProject(text: string, around: Surroundings): { place: Place; line: string }[] {
  return text.split('\n').flatMap((line) => {
    const [frame] = framesOf(line)
    const place = frame && projectPlace(frame, around)
    return place ? [{ place, line }] : []
  })
}

/** Absolute paths are those of the run; others are seen from where it was. */
function projectPlace({ path, line, isBare }: ReadFrame, around: Surroundings): Place | null {
  const { root, directory, testPath, files } = around
  if (isBare && !path.endsWith('.go')) {
    const file = fileEndingWith(path, files)
    return file === null ? null : { file, line }
  }
  const isAbsolute = /^(?:\/|file:|[A-Za-z]:)/.test(path)
  // `go test` names files without their folder, which is that of the test.
  const from = isBare && testPath?.endsWith('.go') ? testPath.slice(0, testPath.lastIndexOf('/') + 1) : directory
  const file = isAbsolute ? relativePath(path, [root]) : relativePath(join(from, path), [])
  const isOthers = path.startsWith('node:') || /(?:^|\/)_testmain\.go$/.test(path)
  return file === null || isForeign(file) || isOthers ? null : { file, line }
}

function isSource(file: string, testPath: string | null): boolean {
  return file !== testPath && testRole(file, detectLanguage(file, null)) === undefined
}
