import type { DescribeWork } from './describe-failures.ts'
import { guessRoot } from './failure-text.ts'
import { firstFrame } from './first-frame.ts'

const maxGuessedRoots = 5

/** The task of `describeFailures`. */
const work: DescribeWork = ({ failures, roots: given }) => {
  const guessed = new Set(failures.map(guessRoot).filter((root) => root !== null))
  const roots = [...given, ...[...guessed].slice(0, maxGuessedRoots)]
  return failures.map((failure) => {
    const { message, stack, file } = failure
    const frame =
      firstFrame(message, stack, { roots }) ??
      // Java names a file only by the folders of its package.
      (file ? firstFrame(message, stack, { roots, files: new Set([file]) }) : null)
    return { frame, stackLines: firstLines(message, stack) }
  })
}

export default work

const frameLine = /:\d+(?::\d+)?\)?$|, line \d+/
const maxStackLines = 4

function firstLines(message: string | null, stack: string | null): string[] {
  const lines = (stack ?? '').split('\n').map((line) => line.trim())
  const messageLines = new Set(message?.split('\n').map((line) => line.trim()))
  const frames = lines.filter((line) => frameLine.test(line))
  const chosen = frames.length > 0 ? frames : lines.filter((line) => line !== '' && !messageLines.has(line))
  return chosen.slice(0, maxStackLines)
}
