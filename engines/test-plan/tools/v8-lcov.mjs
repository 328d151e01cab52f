// Converts the coverage that V8 measured in the processes of a test run to LCOV. Each file of the folder is what Node
// writes for NODE_V8_COVERAGE: the ranges of all functions of all scripts, and the source maps of scripts that have one.
import { closeSync, openSync, readdirSync, readFileSync, realpathSync, statSync, writeSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const maxFileBytes = 400_000_000
const maxSourceBytes = 10_000_000

/** Files that run the tests and are not the subject of them. */
const ofTests =
  /(?:^|\/)(?:node_modules|\.yarn|coverage|tests?|__tests__|__mocks__|specs?|e2e|cypress)\/|(?:^|\/)tests?\.[cm]?[jt]sx?$|(?:^|\/)tests?-[^/]*$|[._-](?:tests?|spec)\.[cm]?[jt]sx?$|\.d\.[cm]?ts$|(?:^|\/)(?:Jakefile|Gruntfile|Gulpfile|gulpfile|[\w.-]+\.config)(?:\.[cm]?[jt]s)?$/

/**
 * @param {string} directory - the folder of the raw files
 * @param {string} root - the repository; other files are left out
 * @param {string} file - the report to write
 * @returns {string[]} what could not be converted
 */
export function writeLcov(directory, root, file) {
  const notes = new Set()
  const raw = readdirSync(directory).flatMap((name) => (name.endsWith('.json') ? [join(directory, name)] : []))
  const sources = new Map()
  const realRoot = realpathSync(root)
  // V8 leaves out a block that ran as often as the code around it, so that its count is known once all blocks are.
  for (const isLast of [false, true]) {
    for (const path of raw) readRaw(path, (script) => addScript(script, sources, realRoot, isLast, notes), notes)
  }
  const output = openSync(file, 'w')
  for (const [path, { lines, blocks }] of [...sources].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const text = [`TN:`, `SF:${path}`]
    let index = 0
    for (const { line, count } of [...blocks.values()].toSorted((a, b) => a.line - b.line)) {
      if (lines.has(line)) text.push(`BRDA:${line},${index++},0,${count}`)
    }
    for (const [line, count] of [...lines].toSorted(([a], [b]) => a - b)) text.push(`DA:${line},${count}`)
    writeSync(output, `${text.join('\n')}\nend_of_record\n`)
  }
  closeSync(output)
  return [...notes]
}

function readRaw(path, take, notes) {
  if (statSync(path).size > maxFileBytes) {
    notes.add('a process wrote more coverage than can be read')
    return
  }
  let content
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // A process that was killed while it wrote.
    notes.add('the coverage of a process is incomplete')
    return
  }
  const maps = content['source-map-cache'] ?? {}
  for (const { url, functions, mapFile } of content.result ?? []) {
    take({ url, functions, map: mapFile ? JSON.parse(readFileSync(mapFile, 'utf8')) : maps[url] })
  }
}

function addScript({ url, functions, map }, sources, root, isLast, notes) {
  const path = pathOf(url)
  const own = path && belowRoot(path, root)
  if (!own || /(?:^|\/)(?:node_modules|\.yarn)\//.test(own)) return
  const counts = countsOf(functions)
  const script = map?.data ? mappedScript(path, map) : plainScript(path, url, counts)
  if (script === undefined) {
    notes.add(`the code of ${own} that ran is not the file`)
    return
  }
  for (const { name, place, lines } of script(root)) {
    const known = sources.get(name) ?? { lines: new Map(), blocks: new Map() }
    sources.set(name, known)
    if (!isLast) for (const { start, end } of counts.blocks) addBlock(known, place, start, end)
    else {
      for (const [line, start, end] of lines()) {
        known.lines.set(line, Math.max(known.lines.get(line) ?? 0, counts.most(start, end)))
      }
      for (const block of known.blocks.values()) block.count += counts.at(block.start)
    }
  }
}

function addBlock({ blocks }, place, start, end) {
  const key = `${start}-${end}`
  const line = blocks.has(key) ? undefined : place(start, end)
  if (line !== undefined) blocks.set(key, { start, line, count: 0 })
}

function pathOf(url) {
  try {
    return url.startsWith('file:') ? fileURLToPath(url.replace(/[?#].*$/s, '')) : isAbsolute(url) ? url : undefined
  } catch {
    return undefined
  }
}

/** Returns the path relative to the repository, with slashes; undefined for a file outside of it. */
function belowRoot(path, root) {
  const below = relative(root, path)
  return below === '' || below.startsWith('..') || isAbsolute(below) ? undefined : below.split(sep).join('/')
}

/** How often each part of a script ran, from ranges that contain each other. */
function countsOf(functions) {
  const ranges = functions.flatMap(({ ranges: own, isBlockCoverage }) =>
    own.map(({ startOffset: start, endOffset: end, count }, at) => ({
      start,
      end,
      count,
      isBlock: isBlockCoverage && at > 0,
    })),
  )
  ranges.sort((a, b) => a.start - b.start || b.end - a.end)
  const starts = []
  const counts = []
  const begin = (at, count) => {
    if (starts.at(-1) === at) counts[counts.length - 1] = count
    else {
      starts.push(at)
      counts.push(count)
    }
  }
  const open = []
  const closeUntil = (at) => {
    for (let last = open.at(-1); last && last.end <= at; last = open.at(-1)) {
      open.pop()
      begin(last.end, open.at(-1)?.count ?? 0)
    }
  }
  for (const range of ranges) {
    closeUntil(range.start)
    begin(range.start, range.count)
    open.push(range)
  }
  closeUntil(Infinity)
  /** The part that contains the place. */
  const indexOf = (place) => {
    let [low, high] = [0, starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (starts[middle] <= place) low = middle + 1
      else high = middle
    }
    return low - 1
  }
  return {
    end: ranges[0]?.end ?? 0,
    blocks: ranges.filter(({ isBlock }) => isBlock),
    at: (place) => counts[indexOf(place)] ?? 0,
    most: (start, end) => {
      let most = 0
      for (let at = Math.max(0, indexOf(start)); at < starts.length && starts[at] < end; at++)
        most = Math.max(most, counts[at])
      return most
    },
  }
}

/** A script that ran as it is in its file, perhaps without its types, in whose place Node puts spaces. */
function plainScript(path, url, counts) {
  const text = textOf(path)
  if (
    text === undefined ||
    (counts.end !== text.length && counts.end !== text.length + '\n\n//# sourceURL='.length + url.length)
  )
    return undefined
  return (root) => {
    const own = belowRoot(path, root)
    if (ofTests.test(own)) return []
    const lineStarts = lineStartsOf(text)
    return [
      {
        name: path,
        place: (start, end) => {
          const block = text.slice(start, end)
          if (!/[^\s{}();?:]/.test(block)) return undefined
          return lineAt(lineStarts, start + block.length - block.trimStart().length) + 1
        },
        lines: () => codeLines(text, lineStarts),
      },
    ]
  }
}

/** Returns the text without the mark at its beginning, which Node removes. */
function textOf(path) {
  try {
    if (statSync(path).size > maxSourceBytes) return undefined
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch {
    return undefined
  }
}

/** The lines with code, as number, start and end: no empty ones, comments and closing brackets. */
function* codeLines(text, lineStarts) {
  let isComment = false
  for (const [at, start] of lineStarts.entries()) {
    const line = text.slice(start, (lineStarts[at + 1] ?? text.length + 1) - 1)
    const code = line.trim()
    const begun = isComment
    if (!isComment && code.startsWith('/*')) isComment = true
    if (isComment) {
      const close = code.indexOf('*/', begun ? 0 : 2)
      if (close === -1) continue
      isComment = false
      if (/^[\s})\];,]*$/.test(code.slice(close + 2))) continue
    } else if (code.startsWith('//') || /^[\s})\];,]*$/.test(code)) continue
    const from = start + line.length - line.trimStart().length
    yield [at + 1, from, from + code.length]
  }
}

function lineStartsOf(text) {
  const lineStarts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1)
  return lineStarts
}

function lineAt(lineStarts, place) {
  let [low, high] = [0, lineStarts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (lineStarts[middle] <= place) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** A script that was made from other files. Its map says of some places of the script where they come from. */
function mappedScript(path, { data, lineLengths, url, prefixLength = 0 }) {
  if (!Array.isArray(data.sources) || typeof data.mappings !== 'string' || !Array.isArray(lineLengths)) return undefined
  const lineStarts = [0]
  for (const length of lineLengths) lineStarts.push(lineStarts.at(-1) + length + 1)
  const mapFolder =
    typeof url === 'string' && !url.startsWith('data:')
      ? dirname(pathOf(url) ?? resolve(dirname(path), url))
      : dirname(path)
  const bySource = data.sources.map(() => [])
  for (const [line, column, source, originalLine] of segmentsOf(data.mappings)) {
    if (lineStarts[line] === undefined) continue
    const at = lineStarts[line] + column + (line === 0 ? prefixLength : 0)
    bySource[source]?.push([at, originalLine + 1])
  }
  return (root) =>
    data.sources.flatMap((source, index) => {
      const name = sourcePath(source, data.sourceRoot, mapFolder)
      const own = name && belowRoot(name, root)
      const text = own && !ofTests.test(own) ? textOf(name) : undefined
      if (text === undefined) return []
      const segments = bySource[index].toSorted(([a], [b]) => a - b)
      return [
        {
          name,
          place: (start, end) => segments.find(([at]) => at >= start && at < end)?.[1],
          lines: () => {
            const code = new Set([...codeLines(text, lineStartsOf(text))].map(([line]) => line))
            return segments.filter(([, line]) => code.has(line)).map(([at, line]) => [line, at, at + 1])
          },
        },
      ]
    })
}

function sourcePath(source, sourceRoot, folder) {
  if (typeof source !== 'string') return undefined
  if (source.startsWith('file:')) return pathOf(source)
  if (/^[a-z][\w+.-]+:/i.test(source)) return undefined
  return resolve(
    folder,
    typeof sourceRoot === 'string' && !/^[a-z][\w+.-]+:/i.test(sourceRoot) ? sourceRoot : '',
    source,
  )
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const valueOf = new Map(Array.from(digits, (digit, value) => [digit, value]))

/** Reads the mappings of a source map: line and column in the script, source, line in the source. */
function* segmentsOf(mappings) {
  let [source, originalLine] = [0, 0]
  for (const [line, group] of mappings.split(';').entries()) {
    let column = 0
    for (const segment of group.split(',')) {
      const [columns = 0, sources, lines] = numbersOf(segment)
      column += columns
      if (sources === undefined || lines === undefined) continue
      source += sources
      originalLine += lines
      yield [line, column, source, originalLine]
    }
  }
}

function numbersOf(segment) {
  const numbers = []
  let [value, shift] = [0, 0]
  for (const digit of segment) {
    const bits = valueOf.get(digit) ?? 0
    value += (bits & 31) * 2 ** shift
    if (bits & 32) shift += 5
    else {
      numbers.push(value % 2 === 1 ? -(value - 1) / 2 : value / 2)
      value = shift = 0
    }
  }
  return numbers
}
