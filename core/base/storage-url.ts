import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type StorageConfig =
  | { kind: 'folder'; path: string }
  | {
      kind: 's3'
      bucket: string
      /** Undefined for Amazon S3. */
      endpoint: string | undefined
      region: string
      /** Prepended to every key. Empty, or ends with a slash. */
      prefix: string
      /** Undefined to use the role of the machine. */
      credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined
    }

/** The settings of the file storage. */
export interface StorageSettings {
  STORAGE_URL?: string | undefined
  AWS_ACCESS_KEY_ID?: string | undefined
  AWS_SECRET_ACCESS_KEY?: string | undefined
  AWS_SESSION_TOKEN?: string | undefined
  AWS_REGION?: string | undefined
}

type Result = { storage: StorageConfig; problems: [] } | { storage?: undefined; problems: string[] }

const shape =
  'STORAGE_URL must look like file:/absolute/folder or s3://bucket?endpoint=https://...&region=...&prefix=...'

/** Reports all problems at once, without repeating values that may contain a secret. */
export function readStorage(settings: StorageSettings, dataDir: string): Result {
  const text = settings.STORAGE_URL ?? 'file:'
  if (text === 'file:') return { storage: { kind: 'folder', path: join(dataDir, 'files') }, problems: [] }
  if (!URL.canParse(text)) return { problems: [shape] }
  const url = new URL(text)
  if (url.protocol === 's3:') return readS3(url, settings)
  // URL parsing would turn a relative path into an absolute one.
  const absolute = url.protocol === 'file:' && url.host === '' && /^file:(?:\/|\/\/\/)[^/]/i.test(text)
  if (!absolute || url.search !== '' || url.hash !== '') return { problems: [shape] }
  try {
    return { storage: { kind: 'folder', path: fileURLToPath(url) }, problems: [] }
  } catch {
    return { problems: [shape] }
  }
}

function readS3(url: URL, settings: StorageSettings): Result {
  const problems: string[] = []
  const known = ['endpoint', 'region', 'prefix']
  const unknown = [...new Set(url.searchParams.keys())].filter((name) => !known.includes(name))
  if (url.username !== '' || url.password !== '') {
    problems.push('STORAGE_URL must not contain credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) {
    problems.push('STORAGE_URL must name a valid bucket, as in s3://bucket')
  }
  if (!['', '/'].includes(url.pathname) || url.hash !== '') {
    problems.push('STORAGE_URL must not have a path after the bucket; use the parameter prefix=... for a folder')
  }
  if (unknown.length > 0) {
    problems.push(`STORAGE_URL has unknown parameters: ${unknown.join(', ')}; it accepts ${known.join(', ')}`)
  }

  const endpoint = url.searchParams.get('endpoint') ?? undefined
  if (endpoint !== undefined && !isPlainHttp(endpoint)) {
    problems.push('STORAGE_URL must have an http or https address without user and query as endpoint')
  }
  // Other servers than Amazon's accept any region, and most use this one by default.
  const region = url.searchParams.get('region') ?? settings.AWS_REGION ?? (endpoint && 'us-east-1') ?? ''
  if (!/^[a-z0-9-]{1,50}$/i.test(region)) problems.push('STORAGE_URL requires region=... unless AWS_REGION is set')
  const prefix = (url.searchParams.get('prefix') ?? '').replace(/(?<!\/)\/+$/, '')
  if (!/^(?:[\w!*'()-][\w.!*'()-]*(?:\/[\w!*'()-][\w.!*'()-]*)*)?$/.test(prefix) || prefix.length > 500) {
    problems.push('STORAGE_URL must have a plain path such as assay/files as prefix')
  }

  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings
  const sessionToken = settings.AWS_SESSION_TOKEN
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    problems.push('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together')
  }
  if (problems.length > 0) return { problems }
  const credentials =
    accessKeyId !== undefined && secretAccessKey !== undefined
      ? { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
      : undefined
  return {
    storage: { kind: 's3', bucket: url.host, endpoint, region, prefix: prefix && `${prefix}/`, credentials },
    problems: [],
  }
}

function isPlainHttp(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return ['http:', 'https:'].includes(protocol) && [username, password, search, hash].every((part) => part === '')
}
