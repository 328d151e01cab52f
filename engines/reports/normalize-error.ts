import type { FailureText } from './failure-text.ts'
import { roleOf } from './own-frames.ts'
import { plainText, relativePath } from './text.ts'
import { withoutIds } from './random-words.ts'

const maxRead = 4000
const maxLines = 5
const maxText = 500

/** A pattern, its placeholder, and a text without which nothing matches: most errors have few of them. */
type Changing = readonly [RegExp, string, string?]

/** Ordered from the most to the least specific pattern, because each changes the text for the next. */
const changing: readonly Changing[] = [
  // A report without the escape character keeps the rest of the color.
  [/\[\d{1,3}(?:;\d{1,3}){0,4}m/g, '', '['],
  // The rest of a value that is shortened in the middle.
  [/\.{3}[\w-]+/g, '...', '...'],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<uuid>', '-'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d)\b){0,2})?/g, '<time>', '-'],
  // Fri, 20 Nov 2026
  [
    /\b(?:[A-Z][a-z]{2,8},? )?\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} \d{4}\b/g,
    '<time>',
    ' ',
  ],
  // Fri Nov 20 2026, Nov 20, 2026
  [
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} {1,2}\d{1,2}(?:,? \d{4})?\b/g,
    '<time>',
    ' ',
  ],
  [/\b\d{4}\/\d\d?\/\d\d?\b|\b\d\d?[./]\d\d?[./]\d{4}\b/g, '<time>'],
  [/\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>', ':'],
  [/<time>(?:,? (?:<time>|\d{4}\b|[AP]M\b|GMT\b(?:[+-]\d{4})?|UTC\b|\([A-Z][A-Za-z ]{2,40}\)))+/g, '<time>', '<time>'],
  [/\b(?:::ffff:)?\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d+)?\b/gi, '<host>', '.'],
  [/\[[\da-f:]{0,40}::[\da-f:]{0,40}\](?::\d+)?/gi, '<host>', '::'],
  [/(?<![\w:.])(?:(?:[\da-f]{1,4}:){1,7}|:):(?:[\da-f]{1,4}:){0,7}[\da-f]{0,4}\d/gi, '<host>', '::'],
  [/\blocalhost(?::\d+)?\b/g, '<host>', 'localhost'],
  [/\b0x[\da-f]+\b/gi, '<address>', '0x'],
  [/@[\da-f]{5,16}\b/g, '@<address>', '@'],
  // Generated classes of the JVM.
  [/\$(Proxy)?\d+/g, '$$$1<number>', '$'],
  // The workers of pytest-xdist.
  [/\bgw\d{1,3}\b/g, 'gw<number>', 'gw'],
  [/\b(?:\d+h)?\d+m\d+(?:\.\d+)?s\b/g, '<duration>', 'm'],
  [/\b\d+(?:\.\d+)? ?(?:millis|milliseconds?|ms|µs|us|ns|secs?|seconds?|s|mins?|minutes?|m|hours?|h)\b/g, '<duration>'],
]

const numbers: readonly Changing[] = [
  // Not in names such as `utf16`, but with a unit, as in `12px`.
  [/(?<!\w)[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(?=[A-Za-z%]{0,3}(?!\w))/gi, '<number>'],
  [/<duration>(?:,? (?:and )?<duration>)+/g, '<duration>', '<duration>'],
  // The elements of lists that grow, and the paths of seeds.
  [/<number>(?:(?:, ?|:|; )<number>)+/g, '<number>', '<number>'],
]

export interface MessageOptions extends Pick<FailureText, 'file' | 'suite'> {
  /** Folders of the repository that absolute paths begin with. */
  roots: readonly string[]
}

/** Normalizes the message of a failed test: errors that differ only in values that change from run to run get one text. */
export function normalizeError(
  message: string | null,
  options: MessageOptions = { roots: [], file: null, suite: '' },
): string {
  return normalizeLines(tellingLines(plainText((message ?? '').slice(0, maxRead))).slice(0, maxLines), options)
}

export function normalizeLines(given: readonly string[], options: MessageOptions): string {
  const placed = withoutPlaces(given.join('\n'), options)
  const some = /\d/.test(placed) ? replaced(withoutIds(replaced(placed, changing)), numbers) : placed
  const lines = some.split('\n').map((line) => line.replace(/\t[ \t]*| [ \t]+/g, ' ').trim())
  // Addresses of one host can be tried in any number, as in an AggregateError.
  const told = lines.length === 1 ? lines : [...new Set(lines)].filter((line) => line !== '')
  return told.join('\n').slice(0, maxText).toWellFormed()
}

function replaced(text: string, patterns: readonly Changing[]): string {
  let current = text
  for (const [pattern, placeholder, sign] of patterns) {
    if (sign === undefined || current.includes(sign)) current = current.replace(pattern, placeholder)
  }
  return current
}

const isFrame = /^(?:File ".*", line \d+|❯ |\S+:\d+(?::\d+)?:?$|\.{3} \d+ more|- (?:\/|file:|[A-Za-z]:\\)\S+$)/
const endsFrame = /(?:\)|:\d{1,9}|line \d{1,9})$/
/** The name of the test, with which minitest begins. */
const namesTest = /^(?:\w{1,100}#test_|test_\w{1,200}\()/
const isNoise =
  /^(?:Error Trace:|Require stack:$|stack backtrace:|note: run with `RUST_BACKTRACE|\(?in test file |\(from function |(?:Build|Driver|Host|System) info: |(?:Failure|Error):$|=== |--- (?:PASS|FAIL|SKIP):)/
/** The place at which a runner of Go, Rust or C++ begins an error, after what the test printed. */
const beginsError = /^(?:\S+\.go:\d+: |panic: |fatal error: |thread '.*panicked at |\S+:\d+: Failure$)/
const mayBegin = /\.go:\d|panic|fatal error|: Failure/
const placeAhead =
  /^(?:\S+\.go:\d+:(?: |$)|thread '.*' (?:\(\d+\) )?panicked at (?:\S+:\d+:\d+:?$)?|panicked at \S+:\d+:\d+:?$)/

/** Returns the lines that describe the error, without positions and what the test printed before. */
export function tellingLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  const hasPlaces = mayBegin.test(text)
  const start = hasPlaces ? lines.findIndex((line) => beginsError.test(line)) : 0
  const isTestify = text.includes('Error Trace:')
  const telling: string[] = []
  for (const line of start > 0 ? lines.slice(start) : lines) {
    if (line.startsWith('at ') && endsFrame.test(line)) continue
    if (isFrame.test(line) || isNoise.test(line) || (isTestify && line.startsWith('Test:'))) continue
    if (line.endsWith(':') && namesTest.test(line)) continue
    const told = hasPlaces ? line.replace(placeAhead, '').replace(/ \[recovered\]$/, '') : line
    if (/[A-Za-z\d]|\p{L}/u.test(told)) telling.push(told)
  }
  return telling
}

const absolutePath = /(?<![\w.:/\\>-])((?:file:\/\/)?(?:[A-Za-z]:[\\/]|\/)[^\s'"`:;,()[\]<>|]+)(?::\d+)*/g
const relativeFile = /(?<![\w/\\@.>-])([\w@.-]+(?:[\\/][\w@.-]+)*\.[A-Za-z]{1,6}(?![\w/\\]))(?::\d+)*/g
const temporary = /^(?:\/private)?(?:\/var\/folders|\/tmp|\/var\/tmp|\/dev\/shm)\/.|^[A-Za-z]:\/(?:.*\/)?Temp\/./i
/** Folders at the top of machines that hold checkouts, homes and installed programs. */
const ofMachine =
  /^(?:\/(?:home|Users|root|builds?|workspaces?|__w|__e|github|mnt|srv|opt|usr|var|private|nix|Volumes|app|code|go|codebuild|bitrise|drone|actions-runner|agent|azp|jenkins|snap|Library|System)\/.|[A-Za-z]:\/)/

function withoutPlaces(text: string, options: MessageOptions): string {
  const placed =
    text.includes('/') || text.includes('\\')
      ? text.replace(absolutePath, (found, path: string) => reduced(path, options) ?? found)
      : text
  if (!/test|spec/i.test(placed)) return placed
  return placed.replace(relativeFile, (found, path: string) =>
    roleOf(path.replaceAll('\\', '/'), options) === 'test' ? '<test file>' : found,
  )
}

/** Returns null for a path that may be a value of the program, such as that of a URL. */
function reduced(path: string, options: MessageOptions): string | null {
  const relative = relativePath(path, options.roots)
  if (relative !== null) return roleOf(relative, options) === 'test' ? '<test file>' : relative
  const absolute = path.replaceAll('\\', '/').replace(/^file:\/\/(?:\/(?=[A-Za-z]:))?/, '')
  const names = absolute.split('/')
  const name = names.at(-1) ?? ''
  if (temporary.test(absolute)) return `<temporary folder>${names.length > 3 && isNamed.test(name) ? `/${name}` : ''}`
  if (!ofMachine.test(absolute)) return null
  return roleOf(names.slice(-2).join('/'), options) === 'test' ? '<test file>' : `<folder>/${name}`
}

/** The name of a temporary file that is not made at random. */
const isNamed = /^(?!tmp)[A-Za-z]+(?:[-_.][A-Za-z]+)*$/
