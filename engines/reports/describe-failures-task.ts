import type { DescribeWork, FailureText } from './describe-failures.ts'
import { firstFrame } from './first-frame.ts'
import { normalizeError } from './normalize-error.ts'

/** The task of `describeFailures`. */
const work: DescribeWork = ({ failures, roots }) => {
  const allRoots = [...roots, ...guessRoots(failures)]
  return failures.map(({ message, stack, file }) => {
    const { text, hash } = normalizeError(message)
    const frame =
      firstFrame(message, stack, { roots: allRoots }) ??
      // Java names a file only by the folders of its package.
      (file ? firstFrame(message, stack, { roots: allRoots, files: new Set([file]) }) : null)
    return { text, errorId: hash, frame, stackLines: firstLines(message, stack) }
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

const maxGuessedRoots = 5

/** Finds the folders of the repository in stacks that name the file of their test by its absolute path. */
function guessRoots(failures: readonly FailureText[]): string[] {
  const roots = new Set<string>()
  for (const { file, stack } of failures) {
    const end = file && stack ? stack.indexOf(`/${file}`) : -1
    const before = end > 0 ? (stack?.slice(Math.max(0, end - 500), end) ?? '') : ''
    const word = before.split(/[\s()'":]/).at(-1) ?? ''
    const start = word.indexOf('/')
    if (start >= 0 && roots.size < maxGuessedRoots) roots.add(word.slice(start))
  }
  return [...roots]
}
