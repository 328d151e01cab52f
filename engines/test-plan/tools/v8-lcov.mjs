// Converts the coverage that V8 measured in the processes of a test run to LCOV. Each file of the folder is what Node
// writes for NODE_V8_COVERAGE: the ranges of all functions of all scripts, and the source maps of scripts that have one.
import { closeSync, openSync, readdirSync, readFileSync, realpathSync, statSync, writeSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { segmentsOf } from './source-map.mjs'
import { isBranch, mayBeBranch } from './v8-branches.mjs'
import { countsOf } from './v8-counts.mjs'

const maxFileBytes = 400_000_000
const maxSourceBytes = 10_000_000
/** The tests wait for the conversion. */
const maxMilliseconds = 120_000

/** Files that run the tests and are not the subject of them. */
const ofTests =
  /(?:^|\/)(?:node_modules|\.yarn|coverage|tests?|__tests__|__mocks__|specs?|e2e|cypress)\/|(?:^|\/)tests?\.[cm]?[jt]sx?$|(?:^|\/)tests?-[^/]*$|[._-](?:tests?|spec)\.[cm]?[jt]sx?$|\.d\.[cm]?ts$|(?:^|\/)(?:Jakefile|Gruntfile|Gulpfile|gulpfile|[\w.-]+\.config)(?:\.[cm]?[jt]s)?$/

/**
 * @param {string} directory - the folder of the raw files
 * @param {string} root - the repository; other files are left out
 * @param {string} file - the report to write
 * @returns {string[]} what could not be converted
 * @throws if the conversion takes too long
 */
export function writeLcov(directory, root, file) {
  const notes = new Set()
  const raw = readdirSync(directory).flatMap((name) => (name.endsWith('.json') ? [join(directory, name)] : []))
  const sources = new Map()
  const realRoot = realpathSync(root)
  const end = performance.now() + maxMilliseconds
  // V8 leaves out a block that ran as often as the code around it, so that its count is known once all blocks are.
  for (const isLast of [false, true]) {
    for (const path of raw) {
      readRaw(
        path,
        (script) => {
          if (performance.now() > end) throw new Error('the coverage of the processes is too large to convert.')
          addScript(script, sources, realRoot, isLast, notes)
        },
        notes,
      )
    }
  }
  const output = openSync(file, 'w')
  for (const [path, { lines, blocks, functions }] of [...sources].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const text = [`TN:`, `SF:${path}`]
    // A place is as good as a name, and no two functions have the same.
    for (const [place, { line }] of functions) text.push(`FN:${line},${place}`)
    for (const [place, { count }] of functions) text.push(`FNDA:${count},${place}`)
    let index = 0
    for (const { line, count } of merged([...blocks.values()])) {
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
  const below = path && belowRoot(path, root)
  if (!below || /(?:^|\/)(?:node_modules|\.yarn)\//.test(below)) return
  const counts = countsOf(functions)
  const script = map?.data ? mappedScript(path, url, map, counts) : plainScript(path, url, counts)
  if (script === undefined) {
    notes.add(`the code of ${below} that ran is not the file`)
    return
  }
  const { id, place, begin, sourcesOf } = script
  const own = sourcesOf(root)
  if (!isLast) {
    for (const { start, end } of counts.blocks) {
      const found = place(start, end)
      const known = found && own.has(found.name) && sourceIn(sources, found.name)
      const key = `${id}:${start}-${end}`
      if (known && !known.blocks.has(key)) known.blocks.set(key, { ...found, id, start, end, count: 0 })
    }
    return
  }
  for (const { start, end, count } of counts.functions) {
    const found = begin(start, end)
    if (!found || !own.has(found.name)) continue
    const known = sourceIn(sources, found.name).functions
    const place = `${found.line}:${found.column}`
    known.set(place, { line: found.line, count: (known.get(place)?.count ?? 0) + count })
  }
  for (const [name, { lines, offsetOf }] of own) {
    const known = sourceIn(sources, name)
    for (const [line, start, end] of lines()) {
      known.lines.set(line, Math.max(known.lines.get(line) ?? 0, counts.most(start, end)))
    }
    for (const block of known.blocks.values()) {
      // Another script of the same source has the same code somewhere else.
      const at = block.id === id ? block.start : offsetOf(block.line, block.column)
      if (at !== undefined) block.count += counts.at(at)
    }
  }
}

function sourceIn(sources, name) {
  const known = sources.get(name) ?? { lines: new Map(), blocks: new Map(), functions: new Map() }
  sources.set(name, known)
  return known
}

/** Returns the blocks of a source in order. Several scripts that were made of the source may have the same block. */
function merged(blocks) {
  const seen = new Map()
  const byPlace = new Map()
  for (const block of blocks.toSorted((a, b) => a.line - b.line || a.start - b.start || b.end - a.end)) {
    const place = `${block.line}:${block.column}`
    // A script may have several blocks of which the map knows the same place only.
    const at = seen.get(`${block.id}:${place}`) ?? 0
    seen.set(`${block.id}:${place}`, at + 1)
    const same = byPlace.get(`${place}:${at}`)
    if (same) same.count = Math.max(same.count, block.count)
    else byPlace.set(`${place}:${at}`, { ...block })
  }
  return byPlace.values()
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

/** A script that ran as it is in its file, perhaps without its types, in whose place Node puts spaces. */
function plainScript(path, url, counts) {
  const text = textOf(path)
  if (
    text === undefined ||
    (counts.end !== text.length && counts.end !== text.length + '\n\n//# sourceURL='.length + url.length)
  )
    return undefined
  const lineStarts = lineStartsOf(text)
  return {
    id: path,
    place: (start, end) => {
      const block = text.slice(start, end)
      if (!/[^\s{}();?:]/.test(block) || !isBranch(text, start, end)) return undefined
      const at = start + block.length - block.trimStart().length
      const line = lineAt(lineStarts, at)
      return { name: path, line: line + 1, column: at - lineStarts[line] }
    },
    begin: (start) => {
      const line = lineAt(lineStarts, start)
      return { name: path, line: line + 1, column: start - lineStarts[line] }
    },
    sourcesOf: (root) => {
      const isOfTests = ofTests.test(belowRoot(path, root))
      const offsetOf = (line, column) => lineStarts[line - 1] + column
      return new Map(isOfTests ? [] : [[path, { lines: () => codeLines(text, lineStarts), offsetOf }]])
    },
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
function mappedScript(path, address, { data, lineLengths, url, prefixLength = 0 }, counts) {
  if (!Array.isArray(data.sources) || typeof data.mappings !== 'string' || !Array.isArray(lineLengths)) return undefined
  const lineStarts = [0]
  for (const length of lineLengths) lineStarts.push(lineStarts.at(-1) + length + 1)
  const mapFolder =
    typeof url === 'string' && !url.startsWith('data:')
      ? dirname(pathOf(url) ?? resolve(dirname(path), url))
      : dirname(path)
  const names = data.sources.map((source) => sourcePath(source, data.sourceRoot, mapFolder))
  const texts = new Map()
  const sourceText = (source) => {
    if (!texts.has(source)) texts.set(source, names[source] === undefined ? undefined : textOf(names[source]))
    return texts.get(source)
  }
  const starts = new Map()
  const begins = ({ source, line, column }) => {
    const text = sourceText(source)
    if (text === undefined) return false
    if (!starts.has(source)) starts.set(source, lineStartsOf(text))
    return mayBeBranch(text, starts.get(source)[line - 1] + column)
  }
  const segments = []
  for (const [line, column, source, originalLine, originalColumn] of segmentsOf(data.mappings)) {
    if (lineStarts[line] === undefined) continue
    const at = lineStarts[line] + column + (line === 0 ? prefixLength : 0)
    segments.push({ at, source, line: originalLine + 1, column: originalColumn })
  }
  segments.sort((a, b) => a.at - b.at)
  return {
    id: `${address} ${counts.end} ${data.mappings.length}`,
    place: (start, end) => {
      const first = segments[firstFrom(segments, start)]
      if (!first || first.at >= end || !begins(first)) return undefined
      return { name: names[first.source], line: first.line, column: first.column }
    },
    begin: (start, end) => {
      const index = firstFrom(segments, start)
      const first = segments[index]
      // Vitest's own function around the code begins before it.
      if (!first || first.at >= end || start < prefixLength) return undefined
      const before = segments[index - 1]
      // A map may know no more than the lines.
      const isAfter = first.at > start && before?.source === first.source && before.line <= first.line
      const { source, line, column } = isAfter && before.at >= lineStarts[lineAt(lineStarts, start)] ? before : first
      return { name: names[source], line, column }
    },
    sourcesOf: (root) => {
      const bySource = data.sources.map(() => [])
      for (const segment of segments) bySource[segment.source]?.push(segment)
      return new Map(
        names.flatMap((name, index) => {
          const own = name && belowRoot(name, root)
          const text = own && !ofTests.test(own) ? textOf(name) : undefined
          return text === undefined ? [] : [[name, sourceOf(text, bySource[index])]]
        }),
      )
    },
  }
}

function sourceOf(text, segments) {
  const offsets = new Map()
  return {
    lines: () => {
      const code = new Set([...codeLines(text, lineStartsOf(text))].map(([line]) => line))
      return segments.filter(({ line }) => code.has(line)).map(({ line, at }) => [line, at, at + 1])
    },
    offsetOf: (line, column) => {
      if (offsets.size === 0)
        for (const segment of segments) offsets.set(`${segment.line}:${segment.column}`, segment.at)
      return offsets.get(`${line}:${column}`)
    },
  }
}

/** The position of the first segment that does not begin before the place. */
function firstFrom(segments, place) {
  let [low, high] = [0, segments.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (segments[middle].at < place) low = middle + 1
    else high = middle
  }
  return low
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
