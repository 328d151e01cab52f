import { setTimeout as sleep } from 'node:timers/promises'
import { answerJob } from '../child-jobs.ts'

export interface CountingJob {
  do: 'count' | 'fail' | 'crash' | 'wait' | 'ask'
}

/** What a job says of its process. */
export interface Counted {
  pid: number
  /** The jobs of this process so far. */
  jobs: number
  answer?: unknown
}

let jobs = 0

/** Counts the jobs of a process. */
answerJob<CountingJob, string>(async (job, { signal, report, ask }): Promise<Counted> => {
  jobs += 1
  await report(`job ${jobs}`)
  if (job.do === 'fail') throw new Error('The job failed.')
  if (job.do === 'crash') process.kill(process.pid, 'SIGKILL')
  if (job.do === 'wait') await sleep(60_000, undefined, { signal })
  return { pid: process.pid, jobs, ...(job.do === 'ask' && { answer: await ask('how many?') }) }
})
