import { readdirSync, readFileSync } from 'node:fs'

/** Finds the child processes of this process that analyze or rank. */
export function analysisProcesses(): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
        return (
          Number(parent) === process.pid &&
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('engines/analysis/process')
        )
      } catch {
        return false // The process ended after it was listed.
      }
    })
}
