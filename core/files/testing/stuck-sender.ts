/** Stores a file that never ends, in a process that the test kills. */
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { createDataSource } from '../../../ormconfig.ts'
import { openStorage } from '../storage/open-storage.ts'
import { storeFile } from '../store.ts'

const { url, storage, projectId, now } = JSON.parse(process.argv[2] ?? '')
const dataSource = createDataSource({ url, poolSize: 1, onPoolError: () => {} })
await dataSource.initialize()
const stream = new Readable({ read: () => {} })
stream.push(Buffer.alloc(100_000))
await storeFile(
  {
    db: dataSource.manager,
    log: pino({ level: 'silent' }),
    now: () => new Date(now),
    signal: new AbortController().signal,
    storage: await openStorage(storage),
  },
  { projectId, runId: null, name: 'endless', contentType: 'text/plain', maxBytes: 1e9, stream },
)
