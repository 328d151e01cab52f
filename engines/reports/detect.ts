export type ReportFormat =
  | 'junit'
  | 'trx'
  | 'jest-json'
  | 'playwright-json'
  | 'mocha-json'
  | 'rspec-json'
  | 'go-json'
  | 'tap'
  | 'ctrf'
  | 'libtest'

/** A supported format, or a description of another file. */
export type Detected = { format: ReportFormat } | { looksLike: string }

const otherRoots: Record<string, string> = {
  html: 'an HTML page',
  'test-run': 'an NUnit 3 report',
  'test-results': 'an NUnit 2 report',
  assemblies: 'an xUnit.net report',
  coverage: 'a coverage report (Cobertura or Clover)',
  report: 'a coverage report (JaCoCo)',
  checkstyle: 'a Checkstyle report',
  mutations: 'a PIT mutation report',
  robot: 'a Robot Framework report',
  'testng-results': 'a TestNG report',
  plist: 'an Apple property list',
  site: 'a CTest dashboard file',
}

/** Detects the format by the first characters; the name only serves the description of an unknown file. */
export function detectFormat(start: string, name: string): Detected {
  const text = start.replace(/^\uFEFF?\s*/, '')
  if (text === '') return { looksLike: 'an empty file' }
  if (text.startsWith('<')) return detectXml(text)
  if (text.startsWith('PK\u0003\u0004')) return { looksLike: 'a ZIP archive' }
  if (text.includes('\0')) return { looksLike: 'a binary file' }
  const byLines = detectLines(text)
  if (byLines !== null) return { format: byLines }
  if (goBuildFailed.test(text) && !goPlain.test(text)) return { format: 'go-json' }
  if (text.startsWith('{') || text.startsWith('[')) return detectJson(text)
  if (goPlain.test(text) || goBuildFailed.test(text)) {
    return { looksLike: 'plain output of `go test`; use `go test -json`' }
  }
  if (/^(?:SF|TN):/m.test(text)) return { looksLike: 'an LCOV coverage file' }
  return { looksLike: `a text file that begins with "${text.slice(0, 60).replace(/\s+/g, ' ')}"${extensionNote(name)}` }
}

function extensionNote(name: string): string {
  return /\.(?:xml|trx)$/i.test(name) ? ', not XML' : /\.json$/i.test(name) ? ', not JSON' : ''
}

function detectXml(text: string): Detected {
  const root = rootElement(text)
  if (root === undefined) return { looksLike: 'XML or HTML without an element at its beginning' }
  const local = root.slice(root.indexOf(':') + 1)
  if (local === 'TestRun') return { format: 'trx' }
  if (local === 'testsuites' || local === 'testsuite' || local === 'testrun') return { format: 'junit' }
  return {
    looksLike: otherRoots[local.toLowerCase()] ?? `XML of an unknown kind, with the root <${local.slice(0, 60)}>`,
  }
}

/** The name of the first element, behind declarations and comments. */
function rootElement(text: string): string | undefined {
  let at = 0
  while (at !== -1 && at < text.length) {
    if (!text.startsWith('<', at)) at = text.indexOf('<', at)
    else if (text.startsWith('<?', at)) at = after(text, '?>', at)
    else if (text.startsWith('<!--', at)) at = after(text, '-->', at)
    else if (text.startsWith('<!', at)) {
      const [declared, end] = [text.indexOf('[', at), text.indexOf('>', at)]
      at = after(text, '>', declared !== -1 && declared < end ? Math.max(at, text.indexOf(']', declared)) : at)
    } else return /^<([\w.:-]+)/.exec(text.slice(at, at + 200))?.[1]
  }
  return undefined
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from)
  return at === -1 ? -1 : at + end.length
}

/** The go command prints this line as plain text between events; it is the only output if no package compiles. */
const goBuildFailed = /^FAIL\t\S+ \[(?:build|setup) failed\]\r?$/m
const goPlain = /^(?:ok|FAIL|---|\?)\s+\S+\t|^--- (?:FAIL|PASS): /m

const tapLine = /^(?:TAP version \d+\s*$|1\.\.\d+(?:\s|$)|(?:not )?ok (?:\d+\b|- ))/
const libtestLine =
  /^(?:running \d+ tests?$|test result: (?:ok|FAILED)\. \d|test \S.* \.\.\. (?:ok|FAILED|ignored)|error: could not compile |error\[E\d+\]: | +(?:Compiling|Running|Doc-tests) \S)/

/** Formats that are read line by line. Lines of compilers and tests may precede the first line of the report. */
function detectLines(text: string): ReportFormat | null {
  // Further down, tests print such ranges.
  if (/^\d{1,15}\.\.\d{1,15}[ \t]*(?:\r?\n|$)/.test(text)) return 'tap'
  for (const line of text.split(/\r?\n/, 2000)) {
    if (tapLine.test(line)) return 'tap'
    if (libtestLine.test(line) && !/^ *Nextest run /m.test(text)) return 'libtest'
    if (/^\{.*"Action": ?"/.test(line.slice(0, 4000))) return 'go-json'
  }
  return null
}

function detectJson(text: string): Detected {
  const keys = topKeys(text)
  const has = (...wanted: string[]) => wanted.every((key) => keys.includes(key))
  if (has('reportFormat') && /"reportFormat"\s*:\s*"CTRF"/.test(text)) return { format: 'ctrf' }
  if (/^\{[^]*?"results"\s*:\s*\{/.test(text) && has('results') && /"(?:tool|summary|tests)"\s*:/.test(text))
    return { format: 'ctrf' }
  if (has('numTotalTests') || has('numFailedTests') || (has('testResults') && has('success')))
    return { format: 'jest-json' }
  if (has('config', 'suites') || (has('config') && /"(?:rootDir|configFile)"\s*:/.test(text)))
    return { format: 'playwright-json' }
  if (has('examples')) return { format: 'rspec-json' }
  if (has('stats', 'tests')) return { format: 'mocha-json' }
  const shown = keys.slice(0, 8).map((key) => key.slice(0, 40))
  if (text.startsWith('[')) return { looksLike: 'a JSON list of an unknown kind' }
  return { looksLike: `JSON of an unknown kind${shown.length === 0 ? '' : `, with ${shown.join(', ')}`}` }
}

/** Returns the keys of the outermost object in the beginning of a report. */
function topKeys(text: string): string[] {
  const keys: string[] = []
  const tokens = /"((?:[^"\\]|\\[^])*)(?:"(\s*:)?)?|[[\]{}]/g
  let depth = 0
  for (const [token, string, colon] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && colon !== undefined && string !== undefined) keys.push(string)
  }
  return keys
}
