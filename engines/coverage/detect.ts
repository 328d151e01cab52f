import { ReportError, type ReportSource } from '../reports/report.ts'
import { type CoverageFormat, coverageFormats } from './coverage.ts'

/** Bytes that show the format: names of files and comments may come first. */
const headLength = 16 * 1024

/** Detects the format by the content alone, and returns the report with its first bytes. */
export async function detectFormat(source: ReportSource): Promise<{ format: CoverageFormat; source: ReportSource }> {
  const iterator = source.bytes[Symbol.asyncIterator]()
  const chunks: Buffer[] = []
  let length = 0
  while (length < headLength) {
    const { done, value } = await iterator.next()
    if (done === true) break
    chunks.push(value)
    length += value.length
  }
  const head = textOf(Buffer.concat(chunks).subarray(0, headLength))
  return { format: formatOf(head, source.name), source: { name: source.name, bytes: chain(chunks, iterator) } }
}

async function* chain(chunks: Buffer[], iterator: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    // Shifting frees each chunk when it has been read.
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}

function textOf(head: Buffer): string {
  const [first, second] = head
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  // Works for both byte orders, because the patterns have only ASCII letters.
  const text = isWide ? head.toString('latin1').replaceAll('\0', '').slice(2) : head.toString('utf8')
  return text.replace(/^\uFEFF/, '').trimStart()
}

function formatOf(head: string, name: string): CoverageFormat {
  if (head === '') throw new ReportError('empty', name, 'the file is empty')
  const format = head.startsWith('<')
    ? xmlFormat(head)
    : head.startsWith('{')
      ? jsonFormat(head, name)
      : textFormat(head)
  if (format === null) {
    const understood = coverageFormats.join(', ')
    throw new ReportError('unknown_format', name, `the format is not a supported coverage format (${understood})`)
  }
  return format
}

function xmlFormat(head: string): CoverageFormat | null {
  const elements = head.replace(/<!--[^]*?(?:-->|$)/g, '').match(/<[A-Za-z][^>]*>?/g) ?? []
  const [root = '', child = ''] = elements
  const rootName = nameOf(root)
  if (rootName === 'report') return 'jacoco'
  if (rootName !== 'coverage') return null
  if (/\s(?:line-rate|lines-valid|branch-rate)=/.test(root)) return 'cobertura'
  if (/\sclover=/.test(root) || /^(?:project|testproject)$/.test(nameOf(child))) return 'clover'
  return /^(?:sources|packages)$/.test(nameOf(child)) ? 'cobertura' : null
}

function nameOf(tag: string): string {
  return /^<(?:[\w.-]+:)?([\w.-]+)/.exec(tag)?.[1] ?? ''
}

function jsonFormat(head: string, name: string): CoverageFormat | null {
  if (/^\{\s*"total"\s*:\s*\{\s*"(?:lines|statements|functions|branches)"/.test(head)) {
    const problem = 'this is a summary without lines. Use coverage-final.json, which the reporter "json" writes'
    throw new ReportError('unknown_format', name, problem)
  }
  const isIstanbul =
    /"statementMap"\s*:/.test(head) || /^\{\s*\}\s*$/.test(head) || /^\{\s*"[^"]+"\s*:\s*\{\s*"path"\s*:/.test(head)
  return isIstanbul ? 'istanbul' : null
}

function textFormat(head: string): CoverageFormat | null {
  if (/^mode: (?:set|count|atomic)\s*(?:\n|$)/.test(head)) return 'go-cover'
  const first = head.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#')) ?? ''
  return /^(?:TN|SF|VER):/.test(first) ? 'lcov' : null
}
