export interface Frame {
  file: string
  line: number
  column: number | null
}

/** A stack frame found in a text. */
export interface ReadFrame {
  path: string
  line: number
  column: number | null
  /** A file name without its folders, as Java writes it, or with those of its package. */
  isBare: boolean
  /** The innermost call comes last, as in Python. */
  lastIsInnermost: boolean
  /** The line that names it. */
  text: string
}

type Reading = (match: RegExpExecArray) => Omit<ReadFrame, 'text'>

/**
 * The pattern and the fields of each notation of frames, and a text that each of its lines has, which is quick to look
 * for. The first that matches a line counts.
 */
const shapes: readonly [RegExp, Reading, string?][] = [
  // at com.acme.Foo.bar(Foo.java:12), in Java, Kotlin, Scala and Groovy
  [
    /^\s*at (?:[\w.@-]*\/)*([\w.$]+)\.[\w$<>-]+\(([\w-]+\.(?:java|kt|scala|groovy)):(\d+)\)/,
    ([, className = '', file = '', line]) => bare(`${packagePath(className)}${file}`, line),
    'at ',
  ],
  //    at Acme.Foo.Bar(Int32 x) in /src/Foo.cs:line 12
  [/^\s*at (?=.*:line \d+$).* in (.+):line (\d+)$/, ([, path, line]) => frame(path, line), ':line '],
  // at run (file:///app/src/a.test.ts:3:7), at src/a.ts:3:7, and Vitest's ❯ src/a.ts:3:7
  [
    /^\s*(?:at|❯) (?:.{0,500}?[(\s])?((?:file:\/\/)?[^\s()]{1,500}):(\d+):(\d+)\)?$/,
    ([, path, line, column]) => frame(path, line, column),
  ],
  //   File "/app/money.py", line 3, in add, and pytest's E     File "/app/money.py", line 3
  [
    /^(?:E(?= ))?\s*File "([^"]{1,500})", line (\d+)/,
    ([, path, line]) => ({ ...frame(path, line), lastIsInnermost: true }),
    'File "',
  ],
  // thread 'x' panicked at src/lib.rs:5:9
  [
    /^(?=(.*?panicked at ))\1(?:'.*', )?([^\s:']+\.rs):(\d+):(\d+)/,
    ([, , path, line, column]) => frame(path, line, column),
    'panicked at ',
  ],
  // #0 /app/src/Foo.php(12): Acme\Foo->bar()
  [/^\s*#\d+ (.{1,500}\.php)\((\d+)\)/, ([, path, line]) => frame(path, line), '.php('],
  // # ./spec/a_spec.rb:5:in `block', test/a_test.rb:5:in `test_a', [test/a_test.rb:5]:
  [
    /^\s*(?=\S)(?:# |from |.{0,300}\[)?((?:\.{0,2}\/)?[^\s:[\]]{1,500}\.(?:rb|rake)):(\d+)(?::in\b|\]|$)/,
    ([, path, line]) => frame(path, line),
    '.r',
  ],
  // tests/test_a.py:12: AssertionError, the line that pytest ends each level with
  [
    /^((?:[A-Za-z]:)?[^\s:]{1,500}\.py):(\d+): ?/,
    ([, path, line]) => ({ ...frame(path, line), lastIsInnermost: true }),
    '.py:',
  ],
  // money_test.go:12: got 1, and the stack of a panic
  [/^\s*([^\s:]{1,500}\.go):(\d+)(?:: | \+0x|$)/, ([, path, line]) => goFrame(path, line), '.go:'],
  // src/a.test.ts:3:7, tests/FooTest.php:12, money.cc:4
  [
    /^\s*((?:\/|[A-Za-z]:[\\/])?[^\s:()'"]{1,500}\.(?:[cm]?[jt]sx?|php|rs|cc|cpp|c|h|swift|exs?|dart)):(\d+)(?::(\d+))?(?=$|[\s:])/,
    ([, path, line, column]) => frame(path, line, column),
  ],
]

export function framesOf(text: string): ReadFrame[] {
  return [...readFrames(text)]
}

/** Yields frames in the order of the text, for readers that need only the first ones. */
export function* readFrames(text: string): Generator<ReadFrame, undefined> {
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const line = text.slice(start, end)
    start = end + 1
    // Frames are short; a long line is output, and costly to match.
    if (line.length > 1500 || !mayBeFrame.test(line)) continue
    for (const [shape, read, sign] of shapes) {
      const match = sign === undefined || line.includes(sign) ? shape.exec(line) : null
      if (match === null) continue
      yield { ...read(match), text: line }
      break
    }
  }
}

const mayBeFrame = /[:(]\d|line \d/

/** Yields the frames of a text, the innermost first. */
export function innermostFirst(text: string): Iterable<ReadFrame> {
  if (!text.includes('.py:') && !text.includes('File "')) return readFrames(text)
  const frames = framesOf(text)
  return frames.some((frame) => frame.lastIsInnermost) ? frames.toReversed() : frames
}

function frame(path = '', line = '', column?: string): Omit<ReadFrame, 'text'> {
  return {
    path,
    line: Math.min(Number(line), 2 ** 31 - 1),
    column: column === undefined ? null : Math.min(Number(column), 2 ** 31 - 1),
    isBare: false,
    lastIsInnermost: false,
  }
}

function bare(path: string, line: string | undefined): Omit<ReadFrame, 'text'> {
  return { ...frame(path, line), isBare: true }
}

/** `go test` names a file without its package; a panic names it with its whole path. */
function goFrame(path = '', line: string | undefined): Omit<ReadFrame, 'text'> {
  return path.includes('/') ? frame(path, line) : bare(path, line)
}

/** Returns the folders of a class's package: the words before the first capitalized one. */
function packagePath(className: string): string {
  const words = className.split('.')
  const classAt = words.findIndex((word) => /^[A-Z]/.test(word))
  const folders = words.slice(0, classAt === -1 ? -1 : classAt)
  return folders.length === 0 ? '' : `${folders.join('/')}/`
}
