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
}

type Reading = (match: RegExpExecArray) => ReadFrame | null

/** The pattern and the fields of each notation of frames. The first that matches a line counts. */
const shapes: readonly [RegExp, Reading][] = [
  // at com.acme.Foo.bar(Foo.java:12), in Java, Kotlin, Scala and Groovy
  [
    /^\s*at (?:[\w.@-]*\/)*([\w.$]+)\.[\w$<>-]+\(([\w-]+\.(?:java|kt|scala|groovy)):(\d+)\)/,
    ([, className = '', file = '', line]) => bare(`${packagePath(className)}${file}`, line),
  ],
  //    at Acme.Foo.Bar(Int32 x) in /src/Foo.cs:line 12
  [/^\s*at (?=.*:line \d+$).* in (.+):line (\d+)$/, ([, path, line]) => frame(path, line)],
  // at run (file:///app/src/a.test.ts:3:7), at src/a.ts:3:7, and Vitest's ❯ src/a.ts:3:7
  [
    /^\s*(?:at|❯) (?:.{0,500}?[(\s])?((?:file:\/\/)?[^\s()]{1,500}):(\d+):(\d+)\)?$/,
    ([, path, line, column]) => frame(path, line, column),
  ],
  //   File "/app/money.py", line 3, in add, and pytest's E     File "/app/money.py", line 3
  [/^(?:E(?= ))?\s*File "([^"]{1,500})", line (\d+)/, ([, path, line]) => ({ ...frame(path, line), lastIsInnermost: true })],
  // thread 'x' panicked at src/lib.rs:5:9
  [
    /^(?=(.*?panicked at ))\1(?:'.*', )?([^\s:']+\.rs):(\d+):(\d+)/,
    ([, , path, line, column]) => frame(path, line, column),
  ],
  // #0 /app/src/Foo.php(12): Acme\Foo->bar()
  [/^\s*#\d+ (.{1,500}\.php)\((\d+)\)/, ([, path, line]) => frame(path, line)],
  // # ./spec/a_spec.rb:5:in `block', test/a_test.rb:5:in `test_a', [test/a_test.rb:5]:
  [
    /^\s*(?=\S)(?:# |from |.{0,300}\[)?((?:\.{0,2}\/)?[^\s:[\]]{1,500}\.(?:rb|rake)):(\d+)(?::in\b|\]|$)/,
    ([, path, line]) => frame(path, line),
  ],
  // tests/test_a.py:12: AssertionError, the line that pytest ends each level with
  [
    /^((?:[A-Za-z]:)?[^\s:]{1,500}\.py):(\d+): ?/,
    ([, path, line]) => ({ ...frame(path, line), lastIsInnermost: true }),
  ],
  // money_test.go:12: got 1, and the stack of a panic
  [/^\s*([^\s:]{1,500}\.go):(\d+)(?:: | \+0x|$)/, ([, path, line]) => goFrame(path, line)],
  // src/a.test.ts:3:7, tests/FooTest.php:12, money.cc:4
  [
    /^\s*((?:\/|[A-Za-z]:[\\/])?[^\s:()'"]{1,500}\.(?:[cm]?[jt]sx?|php|rs|cc|cpp|c|h|swift|exs?|dart)):(\d+)(?::(\d+))?(?=$|[\s:])/,
    ([, path, line, column]) => frame(path, line, column),
  ],
]

export function framesOf(text: string): ReadFrame[] {
  const frames: ReadFrame[] = []
  for (const line of text.split('\n')) {
    // Frames are short; a long line is output, and costly to match.
    if (line.length > 1500 || !/\d/.test(line)) continue
    for (const [shape, read] of shapes) {
      const match = shape.exec(line)
      const found = match === null ? null : read(match)
      if (found === null) continue
      frames.push(found)
      break
    }
  }
  return frames
}

function frame(path = '', line = '', column?: string): ReadFrame {
  return {
    path,
    line: Math.min(Number(line), 2 ** 31 - 1),
    column: column === undefined ? null : Math.min(Number(column), 2 ** 31 - 1),
    isBare: false,
    lastIsInnermost: false,
  }
}

function bare(path: string, line: string | undefined): ReadFrame {
  return { ...frame(path, line), isBare: true }
}

/** `go test` names a file without its package; a panic names it with its whole path. */
function goFrame(path = '', line: string | undefined): ReadFrame {
  return path.includes('/') ? frame(path, line) : bare(path, line)
}

/** Returns the folders of a class's package: the words before the first capitalized one. */
function packagePath(className: string): string {
  const words = className.split('.')
  const classAt = words.findIndex((word) => /^[A-Z]/.test(word))
  const folders = words.slice(0, classAt === -1 ? -1 : classAt)
  return folders.length === 0 ? '' : `${folders.join('/')}/`
}
