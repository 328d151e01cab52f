import { extname } from 'node:path/posix'

/** The content types of downloads: none that can contain script. */
const downloads: Readonly<Record<string, string>> = {
  'text/plain': 'text/plain; charset=utf-8',
  'application/json': 'application/json; charset=utf-8',
  'application/xml': 'application/xml',
  'text/xml': 'application/xml',
  'application/pdf': 'application/pdf',
  'application/zip': 'application/zip',
  'application/gzip': 'application/gzip',
  'image/png': 'image/png',
  'image/jpeg': 'image/jpeg',
  'image/gif': 'image/gif',
  'image/webp': 'image/webp',
  'video/mp4': 'video/mp4',
  'video/webm': 'video/webm',
}

/** The content types of report files. They include script, so they are served only with a sandbox policy. */
const parts: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
  '.log': 'text/plain; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.csv': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
}

const unknown = 'application/octet-stream'

/** Returns a content type in lower case and without parameters, or the generic one if the text is malformed. */
export function normalContentType(text: string): string {
  const type = text.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/.test(type) ? type : unknown
}

export function downloadType(contentType: string): string {
  return (Object.hasOwn(downloads, contentType) ? downloads[contentType] : undefined) ?? unknown
}

/** Uses the file extension first, because senders seldom give the content types of the files in a report. */
export function viewType(name: string, contentType: string): string {
  const extension = extname(name).toLowerCase()
  if (Object.hasOwn(parts, extension)) return parts[extension] ?? unknown
  return contentType === 'text/html' ? 'text/html; charset=utf-8' : downloadType(contentType)
}
