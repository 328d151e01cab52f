import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type StorageConfig =
  | { kind: 'folder'; path: string }
  | {
      kind: 's3'
      bucket: string
      /** Undefined for Amazon's own. */
      endpoint: string | undefined
      region: string
      /** Before every key; empty or with a slash at its end. */
      prefix: string
      /** Undefined where the machine's own role is to be asked for them. */
      credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined
    }

/** The settings that say where files are kept. */
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

/** Names everything wrong at once, and repeats nothing that may hold a secret. */
export function readStorage(settings: StorageSettings, dataDir: string): Result {
  const text = settings.STORAGE_URL ?? 'file:'
  if (text === 'file:') return { storage: { kind: 'folder', path: join(dataDir, 'files') }, problems: [] }
  if (!URL.canParse(text)) return { problems: [shape] }
  const url = new URL(text)
  if (url.protocol === 's3:') return readS3(url, settings)
  // A relative path would become one that begins at the root.
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
    problems.push('STORAGE_URL must hold no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) problems.push('STORAGE_URL names no bucket: s3://bucket')
  if (!['', '/'].includes(url.pathname) || url.hash !== '') {
    problems.push('STORAGE_URL must have nothing after the bucket but its query; a folder is given as prefix=...')
  }
  if (unknown.length > 0) problems.push(`STORAGE_URL takes ${known.join(', ')}, not ${unknown.join(', ')}`)

  const endpoint = url.searchParams.get('endpoint') ?? undefined
  if (endpoint !== undefined && !isPlainHttp(endpoint)) {
    problems.push('STORAGE_URL has an endpoint that is no http or https address without user and query')
  }
  // Servers other than Amazon's take any region, and this is the one that most assume.
  const region = url.searchParams.get('region') ?? settings.AWS_REGION ?? (endpoint && 'us-east-1') ?? ''
  if (!/^[a-z0-9-]{1,50}$/i.test(region)) problems.push('STORAGE_URL needs region=... (or set AWS_REGION)')
  const prefix = (url.searchParams.get('prefix') ?? '').replace(/\/+$/, '')
  if (!/^(?:[\w!*'()-][\w.!*'()-]*(?:\/[\w!*'()-][\w.!*'()-]*)*)?$/.test(prefix) || prefix.length > 500) {
    problems.push('STORAGE_URL has a prefix that is no plain path such as assay/files')
  }

  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings
  const sessionToken = settings.AWS_SESSION_TOKEN
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    problems.push('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together; set both or neither')
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
