import type { FindOptionsWhere } from 'typeorm'
import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import type { WatchedRecords } from '../jobs/changes.ts'
import { waitForEnd } from '../jobs/wait-for-end.ts'
import { findOwnProject, getOwnProject, type OwnProject } from '../projects/get.ts'
import { GateEntity, type GateRow, type ShownGate } from './entity.ts'
import { presentGate } from './present.ts'
import type { Gate, GatesPage, GetGate, ListGates } from './schema.ts'

const undecided: WatchedRecords = {
  name: 'undecided gates',
  states: `SELECT id, CASE WHEN judged < requests THEN 'outdated' ELSE 'pending' END AS state FROM gates
            WHERE id = ANY($1::text[]) AND (state = 'pending' OR judged < requests)`,
}
const isCurrent = ({ judged, requests }: ShownGate) => judged >= requests
const isDecided = (gate: ShownGate) => gate.state !== 'pending' && isCurrent(gate)

/** Answers the same for a gate of another user and for one that does not exist. */
export async function getOwnGate(ctx: Context, id: string): Promise<{ gate: ShownGate; project: OwnProject }> {
  const gate = await ctx.db.getRepository(GateEntity).findOneBy({ id })
  const project = gate && (await findOwnProject(ctx, gate.projectId))
  if (!project) throw notFound('gate', 'gate.list lists the gates of a project.', procedureHint('gate.list'))
  return { gate, project }
}

/** A decision that knows everything by now takes little time, unless many wait or the repository is far away. */
const currentMs = 5_000

/** Returns a gate with a decision that knows everything by now. With `waitSeconds`, waits until it is not pending. */
export async function getGate(ctx: Context, input: GetGate): Promise<Gate> {
  const { gate } = await getOwnGate(ctx, input.gateId)
  const load = async () => {
    const row = await ctx.db.getRepository(GateEntity).findOneBy({ id: gate.id })
    if (!row) throw notFound('gate')
    return row
  }
  const stateOf = (row: ShownGate) => (isCurrent(row) ? 'pending' : 'outdated')
  const wait = { records: undecided, stateOf, id: gate.id, load }
  const milliseconds = input.waitSeconds * 1_000
  const started = performance.now()
  await waitForEnd(ctx, { ...wait, hasEnded: isCurrent, milliseconds: Math.max(milliseconds, currentMs) })
  const left = milliseconds - (performance.now() - started)
  return presentGate(ctx, await waitForEnd(ctx, { ...wait, hasEnded: isDecided, milliseconds: Math.max(0, left) }))
}

/** Lists the gates of a project, newest first. */
export async function listGates(ctx: Context, input: ListGates): Promise<GatesPage> {
  const { limit, offset, state, branch, pullRequest } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const where: FindOptionsWhere<GateRow> = {
    projectId: project.id,
    ...(state && { state }),
    ...(branch !== undefined && { branch }),
    ...(pullRequest !== undefined && { pullRequest }),
  }
  const [rows, total] = await ctx.db
    .getRepository(GateEntity)
    .findAndCount({ where, order: { id: 'DESC' }, take: limit, skip: offset })
  return { gates: rows.map((row) => presentGate(ctx, row)), pagination: { total, limit, offset } }
}
