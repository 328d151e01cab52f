import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import type { StorageConfig } from '../../base/storage-url.ts'
import { listening } from '../../testing/receiver.ts'

export interface S3TestServer extends AsyncDisposable {
  config: Extract<StorageConfig, { kind: 's3' }>
  /** Method and path of every request so far. */
  requests: string[]
}

/** Starts an S3-compatible server with one empty bucket. */
export async function startS3(): Promise<S3TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-s3-'))
  const bucket = 'assay'
  const s3 = new S3rver({ directory, silent: true, vhostBuckets: false, configureBuckets: [{ name: bucket }] })
  await s3.configureBuckets()
  const handle = s3.callback()
  const requests: string[] = []
  const server = createServer((req, res) => {
    requests.push(`${req.method} ${req.url}`)
    handle(req, res)
  })
  const front = await listening(server)
  return {
    config: {
      kind: 's3',
      bucket,
      endpoint: `http://127.0.0.1:${front.port}`,
      region: 'us-east-1',
      prefix: 'some/where/',
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    requests,
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
