import { Readable } from 'node:stream'
import { requireStorageKey } from './key.ts'
import type { FileStorage } from './storage.ts'
import type { StorageConfig } from '../../base/storage-url.ts'

/** The size of a file is not known in advance. S3 allows 10,000 parts, which are 80 GB at this size. */
const partBytes = 8_388_608

/** Opens a storage in a bucket of S3 or a compatible server. It loads the S3 library on demand. */
export async function openS3(config: Extract<StorageConfig, { kind: 's3' }>): Promise<FileStorage> {
  const { S3Client, GetObjectCommand, DeleteObjectCommand, NoSuchKey } = await import('@aws-sdk/client-s3')
  const { Upload } = await import('@aws-sdk/lib-storage')
  const agent = { keepAlive: true, maxSockets: 500 }
  const client = new S3Client({
    region: config.region,
    ...(config.endpoint === undefined ? {} : { endpoint: config.endpoint, forcePathStyle: true }),
    ...(config.credentials === undefined ? {} : { credentials: config.credentials }),
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      socketTimeout: 60_000,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // Many compatible servers do not support the newer checksums. The SHA-256 of a file is in its row.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const objectOf = (key: string) => ({ Bucket: config.bucket, Key: `${config.prefix}${requireStorageKey(key)}` })

  return {
    async put(key, bytes, signal) {
      signal.throwIfAborted()
      const upload = new Upload({
        client,
        params: { ...objectOf(key), Body: bytes, ContentType: 'application/octet-stream' },
        partSize: partBytes,
        queueSize: 2,
      })
      const abort = () => void upload.abort()
      signal.addEventListener('abort', abort)
      try {
        await upload.done()
      } catch (error) {
        // `error` may only say that the uploaded parts could not be removed, which is a consequence of the first failure.
        const first = signal.aborted ? signal.reason : (bytes.errored ?? error)
        bytes.destroy()
        throw first
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },

    async open(key, range, signal) {
      const part = range && { Range: `bytes=${range.start}-${range.end}` }
      try {
        const command = new GetObjectCommand({ ...objectOf(key), ...part })
        const { Body, ContentLength, ContentRange } = await client.send(command, { abortSignal: signal })
        if (!(Body instanceof Readable)) throw new Error('The object store sent no body.')
        return {
          size: Number(ContentRange?.split('/')[1] ?? ContentLength),
          chunks: Body,
          [Symbol.asyncDispose]: async () => void Body.destroy(),
        }
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined
        throw error
      }
    },

    async delete(key) {
      await client.send(new DeleteObjectCommand(objectOf(key)))
    },

    [Symbol.asyncDispose]: async () => client.destroy(),
  }
}
