import { pino } from 'pino'
import { startJobs } from '../jobs/jobs.ts'

/** Takes a job of the queue `numbers` and never finishes it. Reports over IPC when it started. For tests that kill it. */
const jobs = await startJobs({ databaseUrl: process.argv[2] ?? '', log: pino({ level: 'silent' }) })
await jobs.work({
  queue: 'numbers',
  retryLimit: 2,
  heartbeatSeconds: 10,
  expireInSeconds: 60,
  concurrency: 1,
  onExhausted: async () => {},
  handle: () => {
    process.send?.('working')
    return new Promise(() => {})
  },
})
process.send?.('ready')
