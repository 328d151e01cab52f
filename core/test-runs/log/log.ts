import type { EntityManager } from 'typeorm'
import type { Context } from '../../base/context.ts'
import { getOwnRun } from '../get.ts'
import { hasEnded } from '../present.ts'
import { withRetry } from '../../base/retry.ts'
import type { LogPage, ReadLog } from './schema.ts'

interface Chunk {
  first_line: number
  lines: number
  text: string
}

/** Returns some lines of the output of a run's commands. */
export async function readRunLog(ctx: Context, input: ReadLog): Promise<LogPage> {
  const { run } = await getOwnRun(ctx, input.runId, 'viewer')
  // Determined before the lines are counted. If the run ends in between, the caller asks again and misses nothing.
  const live = !hasEnded(run)
  const totalLines = await countLines(ctx.db, run.id)
  const offset = input.offset < 0 ? Math.max(0, totalLines + input.offset) : input.offset
  return { lines: await readLines(ctx.db, run.id, offset, input.limit), offset, totalLines, live }
}

export async function countLines(db: EntityManager, runId: string): Promise<number> {
  const [last] = await db.query<Omit<Chunk, 'text'>[]>(
    'SELECT first_line, lines FROM test_run_log WHERE run_id = $1 ORDER BY first_line DESC LIMIT 1',
    [runId],
  )
  return last ? last.first_line + last.lines : 0
}

/** Returns lines from `offset` on, without their line ends. */
export async function readLines(db: EntityManager, runId: string, offset: number, limit: number): Promise<string[]> {
  // Starts at the last chunk that begins at or before the offset, which the index finds in a log of any length.
  const chunks = await db.query<Omit<Chunk, 'lines'>[]>(
    `SELECT first_line, text FROM test_run_log
      WHERE run_id = $1 AND first_line < $2::bigint + $3
        AND first_line >= coalesce((SELECT max(first_line) FROM test_run_log WHERE run_id = $1 AND first_line <= $2), 0)
      ORDER BY first_line`,
    [runId, offset, limit],
  )
  const lines: string[] = []
  for (const { first_line, text } of chunks) {
    for (const [index, line] of text.split('\n').entries()) {
      const place = first_line + index - offset
      if (place >= 0 && place < limit) lines[place] = line
    }
  }
  return Array.from(lines, (line: string | undefined) => line ?? lostLine)
}

/** Replaces each line that could not be stored, so that the other lines keep their numbers. */
const lostLine = '(this line was lost)'

/** Yields the complete log, some lines at a time. */
export async function* logText(db: EntityManager, runId: string): AsyncGenerator<string> {
  for (let next = -1; ;) {
    const chunks = await db.query<Chunk[]>(
      `SELECT first_line, lines, text FROM test_run_log WHERE run_id = $1 AND first_line > $2
        ORDER BY first_line LIMIT 20`,
      [runId, next],
    )
    const last = chunks.at(-1)
    if (!last) return
    next = last.first_line
    yield chunks.map(({ text }) => `${text}\n`).join('')
  }
}

const flushAfterMs = 250
const flushAtBytes = 64 * 1_024
const maxLine = 4_000

/** Stores the output of a run as lines, in batches. */
export interface RunLog {
  /** Adds output. An incomplete line waits for its rest. */
  write(text: string): void
  /** Adds a complete line. */
  say(line: string): void
  lines(): number
  /** Resolves when all output is stored, including an incomplete line. */
  flush(): Promise<void>
}

export interface RunLogOptions {
  /** Masks the secrets in a line. */
  mask: (line: string) => string
  /** The number of lines that earlier attempts stored. */
  firstLine: number
  /** The rest of a longer log is omitted, and a last line says so. */
  maxBytes: number
  onError: (error: unknown) => void
}

export function openRunLog(
  db: EntityManager,
  runId: string,
  { mask, firstLine, maxBytes, onError }: RunLogOptions,
): RunLog {
  let waiting: string[] = []
  let waitingBytes = 0
  let partial = ''
  let next = firstLine
  let storing: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  let bytes = 0
  const add = (line: string) => {
    if (bytes > maxBytes) return
    bytes += line.length
    if (bytes > maxBytes) line = `# The log is longer than ${maxBytes / 2 ** 20} MiB. The rest is omitted.`
    const clean = mask(line.replace(/\r$/, '').replace(/\0/g, '').toWellFormed())
    waiting.push(
      clean.length > maxLine ? `${clean.slice(0, maxLine)}… (${clean.length - maxLine} more characters)` : clean,
    )
    waitingBytes += clean.length
    if (waitingBytes >= flushAtBytes) store()
    else timer ??= setTimeout(store, flushAfterMs)
  }
  const store = () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return
    const lines = waiting
    const first = next
    next += lines.length
    waiting = []
    waitingBytes = 0
    storing = storing
      .then(() =>
        withRetry(() =>
          db.query(
            // Inserts nothing if the run was deleted with its project.
            `INSERT INTO test_run_log (run_id, first_line, lines, text)
             SELECT id, $2, $3, $4 FROM test_runs WHERE id = $1 FOR KEY SHARE ON CONFLICT DO NOTHING`,
            [runId, first, lines.length, lines.join('\n')],
          ),
        ),
      )
      .then(() => {}, onError)
  }
  const endPartial = () => {
    if (partial !== '') add(partial)
    partial = ''
  }
  return {
    write(text) {
      const lines = (partial + text).split('\n')
      partial = lines.pop() ?? ''
      for (const line of lines) add(line)
      // Output without line ends must not accumulate.
      if (partial.length > 4 * maxLine) endPartial()
    },
    say(line) {
      endPartial()
      add(line)
    },
    lines: () => next + waiting.length,
    async flush() {
      endPartial()
      store()
      await storing
    },
  }
}
