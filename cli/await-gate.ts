import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckGate, Gate } from '../core/gate/schema.ts'
import type { Context } from './context.ts'
import { CommandError, exitCodes, wrongUsage } from './failure.ts'
import { askPatiently } from './following.ts'
import { showGate } from './gate-report.ts'
import { resolveProject, shown } from './project.ts'
import { fullId, readTestedCode, type UploadOptions } from './upload-fields.ts'

export interface AwaitGateOptions extends UploadOptions {
  head?: string
  base?: string
  /** Seconds. */
  timeout?: number
  /** File for the gate as JSON. */
  save?: string
}

const defaultTimeoutSeconds = 30 * 60
const waitSeconds = 20

/** Waits for the gate of a commit, branch or pull request, prints it, and exits by its conclusion. */
export async function awaitGate(options: AwaitGateOptions, context: Context): Promise<void> {
  const { out, signal, exitWith, cwd } = context
  const core = await context.core()
  const { id: projectId } = await resolveProject(core, options.project, context)
  const wanted = await wantedGate(options, context)
  const deadline = Date.now() + 1_000 * (options.timeout ?? defaultTimeoutSeconds)
  const secondsLeft = () => Math.max(0, Math.min(waitSeconds, (deadline - Date.now()) / 1_000))
  const ask = (first?: Gate) =>
    askPatiently<Gate>(
      () =>
        first
          ? core.gate.get.query({ gateId: first.id, waitSeconds: secondsLeft() })
          : core.gate.check.mutate({ projectId, ...wanted, waitSeconds: secondsLeft() }),
      context,
    )
  let gate = await ask()
  while ((gate.state === 'pending' || gate.isOutdated) && Date.now() < deadline) {
    out.milestone(gate.reasons[0]?.text ?? 'Waiting for the decision …')
    // A server without waits answers at once.
    await sleep(500, undefined, { signal })
    gate = await ask(gate)
  }
  out.answer(gate, () => showGate(gate, out))
  if (options.save !== undefined) await save(gate, resolve(cwd, options.save))
  if (gate.conclusion === 'failure') exitWith(exitCodes.no)
  else if (gate.conclusion === 'error') exitWith(exitCodes.noVerdict)
  else if (gate.conclusion === 'pending' && gate.mode === 'enforced')
    throw new CommandError(exitCodes.noVerdict, 'PENDING', 'The gate still waits. Give it more time with --timeout.')
}

async function save(gate: Gate, path: string): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(gate)}\n`)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw wrongUsage(`The gate cannot be saved in ${shown(path)} (${code}). Give another file with --save.`)
  }
}

/** What options name comes first, then the pull request or commit that CI builds, then the commit of the checkout. */
async function wantedGate(
  options: AwaitGateOptions,
  context: Context,
): Promise<Pick<CheckGate, 'head' | 'pullRequest' | 'base'>> {
  const { head, commit, branch, pullRequest } = options
  const base = options.base ?? options.target
  const named = head ?? commit ?? branch
  if (named !== undefined && pullRequest !== undefined) throw wrongUsage('Give either --head or --pull-request.')
  if (pullRequest !== undefined) return { pullRequest, ...(base !== undefined && { base }) }
  const { ci, head: checkout } = await readTestedCode(options, context)
  const found = named ?? fullId(ci?.commitSha) ?? checkout?.commitSha
  if (found === undefined) throw wrongUsage('Neither CI nor a checkout has a commit. Give --head or --pull-request.')
  const target = base ?? ci?.targetBranch
  return { head: found, ...(target !== undefined && { base: target }) }
}
