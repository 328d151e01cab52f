import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** A shell step of a CI job. */
export interface Step {
  id?: string
  /** The words that start the shell, which then gets the path of the script. */
  shell: readonly string[]
  script: string
  env?: Record<string, string>
  /** Runs after failed steps too. */
  always?: boolean
  /** Its failure fails the job, but the next steps run. */
  caught?: boolean
}

export interface RanStep {
  id: string | undefined
  exitCode: number | null
  /** What it wrote to the file of GitHub for outputs. */
  outputs: Record<string, string>
}

export interface Job {
  isRed: boolean
  ran: RanStep[]
  /** Everything that the steps printed. */
  printed: string
}

interface Place {
  cwd: string
  env: Record<string, string>
  /** For scripts. */
  folder: string
}

/** Runs the steps of a job as a CI service does: steps after a failed one are left out, unless they always run. */
export async function runJob(steps: readonly Step[], { cwd, env, folder }: Place): Promise<Job> {
  const job: Job = { isRed: false, ran: [], printed: '' }
  let isSkipping = false
  for (const [index, step] of steps.entries()) {
    if (isSkipping && step.always !== true) continue
    const script = join(folder, `step-${index}.sh`)
    const output = join(folder, `output-${index}`)
    await writeFile(script, step.script)
    await writeFile(output, '')
    const [program = '', ...words] = step.shell
    const child = spawn(program, [...words, script], {
      cwd,
      env: { ...env, GITHUB_OUTPUT: output, ...step.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    job.printed += out + err
    const outputs = Object.fromEntries(
      (await readFile(output, 'utf8')).matchAll(/^(\w+)=(.*)$/gm).map(([, name = '', value = '']) => [name, value]),
    )
    job.ran.push({ id: step.id, exitCode: child.exitCode, outputs })
    if (child.exitCode === 0) continue
    job.isRed = true
    isSkipping ||= step.caught !== true
  }
  return job
}
