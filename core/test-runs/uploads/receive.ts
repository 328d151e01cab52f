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
import { AppError, invalid } from '../../base/errors.ts'
import { bodyLimits, contentType } from '../../http/body.ts'
import { readUpload } from '../../http/body-time.ts'
import { HeldBytes } from '../../http/held-bytes.ts'
import { callerOf } from '../../http/take-turn.ts'
import { storableName } from './file-names.ts'
import { UploadPart } from './schema.ts'

export interface ReceivedFile {
  part: UploadPart
  /** A name that can be stored. Several files may have the same name. */
  name: string
  contentType: string
  /** The temporary file with the bytes. */
  path: string
  size: number
  /** In hexadecimal. */
  sha256: string
}

/** The contents of a form. Disposing of it deletes the files. */
export interface ReceivedUpload extends AsyncDisposable {
  fields: Record<string, string>
  files: ReceivedFile[]
}

/** Java builds write a report for each class. */
const maxFiles: Record<UploadPart, number> = { reports: 2_000, coverage: 200, artifacts: 100 }
const maxFields = 20
const maxFieldLength = 4_096

const arriving = new HeldBytes('uploads', 60)

/**
 * Writes the files of a multipart form to a temporary folder.
 *
 * @throws AppError 413 beyond the size limit; 415; 400 for an incomplete or invalid form; 408; 429 or 503 during too many uploads
 */
export async function receiveUpload(
  ctx: Pick<Context, 'config' | 'signal' | 'actor' | 'client'>,
  req: IncomingMessage,
): Promise<ReceivedUpload> {
  const parser = openParser(req)
  const announced = Number(req.headers['content-length'] ?? bodyLimits.upload)
  if (announced > bodyLimits.upload) throw tooLarge()
  await using opened = new AsyncDisposableStack()
  opened.use(arriving.hold(callerOf(ctx), announced))
  const parent = join(ctx.config.dataDir, 'uploads')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  await removeAbandoned(parent)
  const folder = await mkdtemp(join(parent, 'upload-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))

  const form = await readForm(readUpload(req, ctx.config.bodyTimes), parser, folder, ctx.signal)
  const stack = opened.move()
  return { ...form, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

function openParser(req: IncomingMessage): BusboyInstance {
  if (contentType(req) === 'multipart/form-data') {
    try {
      return new Busboy({
        headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
        // The files of a report keep their folders. The names are never used as paths on this machine.
        preservePath: true,
        isPartAFile: (_, __, fileName) => fileName !== undefined,
        limits: { fieldSize: maxFieldLength, headerPairs: 20, headerSize: 8_192 },
      })
    } catch (cause) {
      throw invalid('The header Content-Type has no boundary. Let your HTTP client set it, as `curl -F` does.', {
        cause,
      })
    }
  }
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must be a form of the type multipart/form-data.')
}

async function readForm(body: AsyncIterable<Buffer>, parser: BusboyInstance, folder: string, signal: AbortSignal) {
  const fields = new Map<string, string>()
  const files: ReceivedFile[] = []
  const writing: Promise<void>[] = []
  const counts = { reports: 0, coverage: 0, artifacts: 0 }
  const failing = new AbortController()
  const stop = AbortSignal.any([signal, failing.signal])
  // The first failure counts; others follow from it.
  const fail = (error: unknown) => failing.abort(error)

  parser.on('error', (cause) => fail(invalid('The form is incomplete or invalid.', { cause })))
  parser.on('field', (name, value, _, isCut) => {
    if (isCut) fail(invalid(`${show(name)}: has more than ${maxFieldLength} bytes`))
    else if (UploadPart.safeParse(name).success) fail(invalid(`${name}: must be a file, as in curl -F '${name}=@path'`))
    else if (fields.has(name)) fail(invalid(`${show(name)}: occurs more than once`))
    else if (fields.size === maxFields) fail(invalid(`The form has more than ${maxFields} fields.`))
    else fields.set(name, value)
  })
  parser.on('file', (field, stream, name, _, type) => {
    // An incomplete form also fails here.
    stream.on('error', () => {})
    const { data: part } = UploadPart.safeParse(field)
    if (!part) fail(invalid(`${show(field)}: is not a file part. Use reports, coverage or artifacts.`))
    else if (++counts[part] > maxFiles[part]) fail(invalid(`${part}: has more than ${maxFiles[part]} files`))
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
    await feed(body, parser, stop)
  } catch (error) {
    fail(error instanceof AppError ? error : invalid('The form is incomplete.', { cause: error }))
  }
  if (stop.aborted) parser.destroy()
  // The folder is deleted after this, so all writes must have ended.
  await Promise.all(writing)
  stop.throwIfAborted()
  return { fields: Object.fromEntries(fields), files }
}

async function feed(body: AsyncIterable<Buffer>, parser: BusboyInstance, stop: AbortSignal): Promise<void> {
  const finished = once(parser, 'finish', { signal: stop })
  // Prevents an unhandled rejection if something else fails first.
  finished.catch(() => {})
  let size = 0
  for await (const bytes of body) {
    stop.throwIfAborted()
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
    `The upload is larger than ${bodyLimits.upload} bytes. Split it into several uploads with the same shardKey.`,
  )

const abandonedMs = 3_600_000
/** When to look into a folder of uploads again. */
const nextLooks = new Map<string, number>()

/** Deletes the folders of killed processes. No request takes as long as `abandonedMs`. */
async function removeAbandoned(parent: string): Promise<void> {
  if (Date.now() < (nextLooks.get(parent) ?? 0)) return
  nextLooks.set(parent, Date.now() + abandonedMs)
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    const modifiedAt = (await stat(folder).catch(() => undefined))?.mtimeMs ?? Infinity
    if (modifiedAt < Date.now() - abandonedMs) await rm(folder, { recursive: true, force: true })
  }
}

/** Quotes the name of a field, because the sender chose it. */
const show = (name: string | undefined) => JSON.stringify((name ?? '').slice(0, 100))
