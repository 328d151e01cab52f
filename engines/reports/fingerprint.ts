import { hash } from 'node:crypto'
import { isAssertion } from './assertions.ts'
import { type FailureText, type FingerprintOptions, guessRoot } from './failure-text.ts'
import { normalizeError, normalizeLines, tellingLines } from './normalize-error.ts'
import { classPath, type OwnFrame, ownFrames } from './own-frames.ts'
import { firstLine, plainText } from './text.ts'

export interface Fingerprint {
  /** Equal for failures of one cause, also if they happened in other runs, at other lines, or in other tests. */
  id: string
  /** The message with placeholders for values that change from run to run. */
  text: string
}

/**
 * Identifies the cause of a failure: the normalized message, and the file of the innermost call in the product. The file
 * of the test is part of it only if the message tells little, as those of assertions, so that an outage that fails many
 * tests has one fingerprint.
 */
export function fingerprintOf(failure: FailureText, options: FingerprintOptions): Fingerprint {
  const root = guessRoot(failure)
  const roots = root === null ? options.roots : [...options.roots, root]
  const { file, suite } = failure
  const message = normalizeError(failure.message, { roots, file, suite })
  const saysNothing = isGeneric(message)
  const text = saysNothing ? withStack(message, failure, roots) : message
  const needsTest = saysNothing || isAssertion(text, headOf(failure))
  const place = placeOf(failure, ownFrames(failure, { ...options, roots }), needsTest)
  // Sets and maps have no order, and are listed line by line.
  const ordered = text.includes('\n') ? text.split('\n').toSorted().join('\n') : text
  return { id: hash('sha256', `${ordered}\n${place}`).slice(0, 32), text }
}

const generic =
  /^(?:[\w.$]{0,200}(?:Error|Exception|Failure)|failed|failure|panicked|null|undefined|(?:the )?test (?:failed|did not end)\.?|The file failed outside of its tests\.)$/i

/** Whether a message says only that something failed. */
function isGeneric(message: string): boolean {
  const own = message.includes('<') ? message.replace(/<[a-z ]+>/g, '') : message
  return !/[A-Za-z]|\p{L}/u.test(own) || generic.test(own.trim())
}

const maxStackLines = 3

function withStack(message: string, { stack, file, suite }: FailureText, roots: readonly string[]): string {
  if (stack === null) return message
  const lines = tellingLines(plainText(stack.slice(0, 4_000)))
  return normalizeLines([message, ...lines.slice(0, maxStackLines)], { roots, file, suite })
}

function headOf({ message, stack }: FailureText): string {
  return `${firstLine((message ?? '').slice(0, 500))}\n${firstLine((stack ?? '').slice(0, 500))}`
}

function placeOf(failure: FailureText, frames: Iterable<OwnFrame>, needsTest: boolean): string {
  let test: string | null = failure.file
  let isFirst = true
  for (const { file, role, text } of frames) {
    if (isFirst && role !== 'test' && (role === undefined || !needsTest)) return `${file}\n${functionOf(text)}`
    if (!needsTest) return ''
    isFirst = false
    if (role !== 'test') continue
    test ??= file
    break
  }
  return needsTest ? (test === null ? outermost(failure.suite) : classPath(test)) : ''
}

/** Returns the title that stands for a file that is unknown; on the JVM, the path of the class. */
function outermost(suite: string): string {
  const title = suite.split(/ > |\$/, 1)[0] ?? ''
  return /^[\w.]+$/.test(title) ? title.replaceAll('.', '/') : title
}

const functions: readonly RegExp[] = [
  // V8, C#, the JVM
  /^\s*at (?:async )?(?:new )?([^\s()]{1,300})(?: \[as [^\]]{1,100}\])?\(? ?\(/,
  /^\s*❯ (\S{1,300}) \S+$/,
  /, line \d+, in (\S{1,300})$/,
  /:in [`'](?:[a-z][^'`]{0,80} in )?([^\s'`]{1,300})'$/,
]

/** Returns the name of the function of a frame without its class, which differs between versions of runtimes. */
function functionOf(line: string): string {
  for (const shape of functions) {
    const name = shape.exec(line)?.[1]
    if (name === undefined) continue
    const own = name.split(/[^\w$?!]/).at(-1) ?? ''
    return /^\d|^anonymous$/.test(own) ? '' : own.replace(/^lambda\$(\w+)\$\d+$/, '$1')
  }
  return ''
}
