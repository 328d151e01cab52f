import type { EntityManager } from 'typeorm'

/** Together with the line between them 16 kB. The end gets more, because it says why a run failed. */
const headBytes = 4_000
const tailBytes = 11_900

interface Chunk {
  text: string
  /** The number of bytes of the log before and after this chunk. */
  before: number
  after: number
}

/** Returns the beginning and the end of a run's log, with a line that counts the bytes omitted between them. */
export async function readLogExcerpt(db: EntityManager, runId: string): Promise<string> {
  const chunks = await db.query<Chunk[]>(
    `SELECT text, before, after FROM (
       SELECT text, first_line,
              (sum(octet_length(text) + 1) OVER so_far - octet_length(text) - 1)::int AS before,
              (sum(octet_length(text) + 1) OVER () - sum(octet_length(text) + 1) OVER so_far)::int AS after
         FROM test_run_log WHERE run_id = $1 WINDOW so_far AS (ORDER BY first_line)) AS chunks
      WHERE before < $2 OR after < $3 ORDER BY first_line`,
    [runId, headBytes, tailBytes],
  )
  const join = (some: Chunk[]) => Buffer.from(some.map(({ text }) => `${text}\n`).join(''))
  const last = chunks.at(-1)
  if (!last) return ''
  const total = last.before + Buffer.byteLength(last.text) + 1
  if (total <= headBytes + tailBytes) return join(chunks).toString()
  const head = firstLines(join(chunks.filter(({ before }) => before < headBytes)))
  const tail = lastLines(join(chunks.filter(({ after }) => after < tailBytes)))
  const omitted = `# ${total - head.length - tail.length} bytes are omitted here. testRuns.log returns them.`
  return `${head.toString()}${omitted}\n${tail.toString().replace(/^\ufffd+/, '')}`
}

function firstLines(text: Buffer): Buffer {
  return text.subarray(0, text.subarray(0, headBytes).lastIndexOf('\n') + 1)
}

function lastLines(text: Buffer): Buffer {
  const cut = text.subarray(Math.max(0, text.length - tailBytes))
  const start = cut.indexOf('\n') + 1
  // A line may be longer than the excerpt.
  return start < cut.length ? cut.subarray(start) : cut
}
