import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import type { Context } from '../../base/context.ts'
import { AppError, invalid, unavailable } from '../../base/errors.ts'
import { bodyLimits, contentType } from '../../http/body.ts'
import { storableName } from './file-names.ts'
import { UploadPart } from './schema.ts'

export interface ReceivedFile {
  part: UploadPart
  /** Fit to be stored; several may have the same. */
  name: string
  contentType: string
  /** Where its bytes are. */
  path: string
  size: number
  /** In hexadecimal. */
  sha256: string
}

/** What a form holds; disposed of, its files are gone. */
export interface ReceivedUpload extends AsyncDisposable {
  fields: Record<string, string>
  files: ReceivedFile[]
}

/** Builds of Java write a report for each class, so that there are many. */
const most: Record<UploadPart, number> = { reports: 2_000, coverage: 200, artifacts: 100 }
const maxFields = 20
const maxFieldLength = 4_096

/** Bytes of uploads that this process keeps on its disk at once. */
const room = 2 ** 30
let held = 0

/**
 * Takes a multipart form to files of its own, no further than the limit.
 *
 * @throws AppError 413, 415; 400 for a form that is cut off or has what none should have; 503 where too many come at once
 */
export async function receiveUpload(
  ctx: Pick<Context, 'config' | 'signal'>,
  req: IncomingMessage,
): Promise<ReceivedUpload> {
  const parser = openParser(req)
  const announced = Number(req.headers['content-length'] ?? bodyLimits.upload)
  if (announced > bodyLimits.upload) throw tooLarge()
  if (held + announced > room) throw unavailable('Too many uploads arrive at once. Send it again in a minute.', 60)

  await using opened = new AsyncDisposableStack()
  held += announced
  opened.defer(() => void (held -= announced))
  const parent = join(ctx.config.dataDir, 'uploads')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  await removeAbandoned(parent)
  const folder = await mkdtemp(join(parent, 'upload-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))

  const form = await readForm(req, parser, folder, ctx.signal)
  const stack = opened.move()
  return { ...form, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

function openParser(req: IncomingMessage): BusboyInstance {
  if (contentType(req) === 'multipart/form-data') {
    try {
      return new Busboy({
        headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
        // Whole reports of several files keep their folders; the names become data, and no paths here.
        preservePath: true,
        isPartAFile: (_, __, fileName) => fileName !== undefined,
        limits: { fieldSize: maxFieldLength, headerPairs: 20, headerSize: 8_192 },
      })
    } catch (cause) {
      throw invalid('Content-Type names no boundary. Let your client set it, as `curl -F` does.', { cause })
    }
  }
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send a form with files, of the type multipart/form-data.')
}

async function readForm(req: IncomingMessage, parser: BusboyInstance, folder: string, signal: AbortSignal) {
  const fields = new Map<string, string>()
  const files: ReceivedFile[] = []
  const writing: Promise<void>[] = []
  const counts = { reports: 0, coverage: 0, artifacts: 0 }
  const failing = new AbortController()
  const stop = AbortSignal.any([signal, failing.signal])
  // The first failure counts; others follow from it.
  const fail = (error: unknown) => failing.abort(error)

  parser.on('error', (cause) => fail(invalid('The form did not arrive whole, or is none.', { cause })))
  parser.on('field', (name, value, _, isCut) => {
    if (isCut) fail(invalid(`${show(name)}: has more than ${maxFieldLength} bytes`))
    else if (UploadPart.safeParse(name).success) fail(invalid(`${name}: must be a file, as in curl -F '${name}=@path'`))
    else if (fields.has(name)) fail(invalid(`${show(name)}: is there twice`))
    else if (fields.size === maxFields) fail(invalid(`The form has more than ${maxFields} fields.`))
    else fields.set(name, value)
  })
  parser.on('file', (field, stream, name, _, type) => {
    // A form that is cut off fails here, too.
    stream.on('error', () => {})
    const { data: part } = UploadPart.safeParse(field)
    if (!part) fail(invalid(`${show(field)}: is no part for files; reports, coverage and artifacts are`))
    else if (++counts[part] > most[part]) fail(invalid(`${part}: has more than ${most[part]} files`))
    else {
      const place = writing.length
      const path = join(folder, String(place))
      const keep = (bytes: Pick<ReceivedFile, 'size' | 'sha256'>) => {
        files[place] = { part, name: storableName(name), contentType: type, path, ...bytes }
      }
      writing.push(write(stream, path, stop).then(keep, fail))
    }
  })
  try {
    await feed(req, parser, stop)
  } catch (error) {
    fail(error instanceof AppError ? error : invalid('The form did not arrive whole.', { cause: error }))
  }
  if (stop.aborted) parser.destroy()
  // Only then nothing writes into the folder any more.
  await Promise.all(writing)
  stop.throwIfAborted()
  return { fields: Object.fromEntries(fields), files }
}

/** The request is not piped, since a failure would close its connection before it is answered. */
async function feed(req: IncomingMessage, parser: BusboyInstance, stop: AbortSignal): Promise<void> {
  const finished = once(parser, 'finish', { signal: stop })
  // Heard even where something else fails before.
  finished.catch(() => {})
  let size = 0
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    stop.throwIfAborted()
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > bodyLimits.upload) throw tooLarge()
    if (!parser.write(bytes)) await once(parser, 'drain', { signal: stop })
  }
  parser.end()
  await finished
}

async function write(stream: Readable, path: string, signal: AbortSignal): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(stream, measure, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal })
  return { size, sha256: hash.digest('hex') }
}

const tooLarge = () =>
  new AppError(
    'PAYLOAD_TOO_LARGE',
    `An upload may have at most ${bodyLimits.upload} bytes. Send it in several, with one shardKey.`,
  )

const abandonedMs = 3_600_000
let nextLook = 0

/** What processes left that were killed: no request takes as long. */
async function removeAbandoned(parent: string): Promise<void> {
  if (Date.now() < nextLook) return
  nextLook = Date.now() + abandonedMs
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    const modifiedAt = (await stat(folder).catch(() => undefined))?.mtimeMs ?? Infinity
    if (modifiedAt < Date.now() - abandonedMs) await rm(folder, { recursive: true, force: true })
  }
}

/** Names of fields are the sender's text. */
const show = (name: string | undefined) => JSON.stringify((name ?? '').slice(0, 100))
