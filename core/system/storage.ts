import { Readable } from 'node:stream'
import { newStorageKey } from '../files/storage/key.ts'
import type { Services } from '../base/context.ts'
import type { StorageCheck } from './schema.ts'

/** All checks of this process use one object, so that the next check deletes an object that is left over. */
const key = newStorageKey()
/** Long enough for a slow storage. The caller gets an answer earlier. */
const timeoutMs = 30_000

/** Writes an object and deletes it again, because a storage that answers may still refuse to store files. */
export async function checkStorage({
  storage,
  config,
  log,
}: Pick<Services, 'storage' | 'config' | 'log'>): Promise<StorageCheck> {
  const { kind } = config.storage
  try {
    await storage.delete(key)
    await storage.put(key, Readable.from([Buffer.from('.')]), AbortSignal.timeout(timeoutMs))
    await storage.delete(key)
    return { ok: true, problem: null, advice: null, kind }
  } catch (error) {
    log.warn({ err: error }, 'the check of the file storage failed')
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
    return { ok: false, problem: `The file storage refuses to store files${code}.`, advice: advise(config), kind }
  }
}

function advise({ storage, local }: Services['config']): string {
  if (storage.kind === 's3') {
    return 'Check that the bucket of STORAGE_URL exists and that the credentials may write and delete objects.'
  }
  const folder = local ? `the folder ${storage.path}` : 'the folder of STORAGE_URL'
  return `Check that ${folder} exists, belongs to the server's user and has free space. Then restart the server.`
}
