/** A word of a command line, and whether a shell would have expanded it. */
export interface Word {
  text: string
  pattern: boolean
}

/** One program with its arguments, such as `CI=1 jest "src/**"`. */
export interface SimpleCommand {
  environment: Record<string, string>
  words: readonly Word[]
  source: string
  /** The commands that read its output, if the line may have pipes. */
  pipedInto?: readonly SimpleCommand[]
}

/** A script longer than this was not written by people. */
const maxLineLength = 10_000

/**
 * The commands that a line runs one after the other with `&&`. Null where it needs a shell: pipes unless they are
 * allowed, `||`, redirection, variables, `cd`.
 */
export function parseCommandLine(line: string, { pipes = false } = {}): SimpleCommand[] | null {
  if (line.length > maxLineLength) return null
  const commands: SimpleCommand[] = []
  let piped: SimpleCommand[] = []
  let words: Word[] = []
  let start = 0
  const end = (at: number): boolean => {
    const command = simpleCommand(words, line.slice(start, at).trim())
    if (command === null) return false
    piped.push(command)
    words = []
    return true
  }
  const endPipe = (at: number): boolean => {
    if (!end(at)) return false
    const [first, ...others] = piped
    if (first) commands.push(others.length > 0 ? { ...first, pipedInto: others } : first)
    piped = []
    return true
  }
  for (let at = 0; at < line.length;) {
    if (/\s/.test(line.charAt(at))) {
      if (line[at] === '\n' && words.length > 0) return null
      at++
    } else if (line.startsWith('&&', at)) {
      if (!endPipe(at)) return null
      at += 2
      start = at
    } else if (pipes && line[at] === '|' && line[at + 1] !== '|' && line[at + 1] !== '&') {
      if (!end(at)) return null
      at++
      start = at
    } else {
      const word = readWord(line, at, pipes)
      if (word === null) return null
      words.push(word)
      at = word.end
    }
  }
  return endPipe(line.length) ? commands : null
}

/** The line that a person would type to get these arguments. Braces are quoted, for shells split a word at them. */
export function quoted(argv: readonly string[]): string {
  return argv
    .map((word) =>
      /^(?:[\w@%+=:,./-]|\{output\})+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(' ')
}

function simpleCommand(words: readonly Word[], source: string): SimpleCommand | null {
  const environment: Record<string, string> = Object.create(null)
  const first = words.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text))
  if (first === -1) return null
  for (const { text } of words.slice(0, first)) environment[nameOf(text)] = text.slice(text.indexOf('=') + 1)
  // What these do to the shell lasts longer than the command itself.
  if (/^(?:cd|export|source|\.|set|if|for|while|!)$/.test(words[first]?.text ?? '')) return null
  return { environment, words: words.slice(first), source }
}

export function nameOf(assignment: string): string {
  return assignment.slice(0, assignment.indexOf('='))
}

function readWord(line: string, from: number, pipes: boolean): (Word & { end: number }) | null {
  let text = ''
  let pattern = false
  let at = from
  while (at < line.length && !/[\s&]/.test(line.charAt(at))) {
    const letter = line.charAt(at)
    if (pipes && letter === '|' && line[at + 1] !== '|') break
    if (letter === "'") {
      const close = line.indexOf("'", at + 1)
      if (close === -1) return null
      text += line.slice(at + 1, close)
      at = close + 1
    } else if (letter === '"') {
      const match = /"((?:[^"\\$`]|\\[^])*)"/y
      match.lastIndex = at
      const inner = match.exec(line)?.[1]
      if (inner === undefined) return null
      text += inner.replace(/\\(["\\$`])/g, '$1')
      at = match.lastIndex
    } else if (letter === '\\') {
      text += line.charAt(at + 1)
      at += 2
    } else {
      if (/[|;<>$`()#]/.test(letter)) return null
      if (/[*?[\]{}]/.test(letter)) pattern = true
      text += letter
      at++
    }
  }
  if (line[at] === '&' && !line.startsWith('&&', at)) return null
  return { text, pattern, end: at }
}
