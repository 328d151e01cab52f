import { GatePolicy, GetGatePolicy, UpdateGatePolicy } from '../gate-policy/schema.ts'
import { procedure, router } from '../http/trpc.ts'
import { checkGate } from './check.ts'
import { finishUploads } from './finish-uploads.ts'
import { getGate, listGates } from './get.ts'
import { listGateFiles } from './list-files.ts'
import { previewGatePolicy } from './preview-policy.ts'
import {
  CheckGate,
  FinishedUploads,
  FinishUploads,
  Gate,
  GateFilesPage,
  GatePolicyPreview,
  GatesPage,
  GetGate,
  ListGateFiles,
  ListGates,
  PreviewGatePolicy,
} from './schema.ts'
import { getGatePolicy, updateGatePolicy } from './update-policy.ts'

export const gateRouter = router({
  check: procedure
    .input(CheckGate)
    .output(Gate)
    .mutation(({ ctx, input }) => checkGate(ctx, input)),
  get: procedure
    .input(GetGate)
    .output(Gate)
    .query(({ ctx, input }) => getGate(ctx, input)),
  list: procedure
    .input(ListGates)
    .output(GatesPage)
    .query(({ ctx, input }) => listGates(ctx, input)),
  files: procedure
    .input(ListGateFiles)
    .output(GateFilesPage)
    .query(({ ctx, input }) => listGateFiles(ctx, input)),
  finishUploads: procedure
    .input(FinishUploads)
    .output(FinishedUploads)
    .mutation(({ ctx, input }) => finishUploads(ctx, input)),
  getPolicy: procedure
    .input(GetGatePolicy)
    .output(GatePolicy)
    .query(({ ctx, input }) => getGatePolicy(ctx, input)),
  updatePolicy: procedure
    .input(UpdateGatePolicy)
    .output(GatePolicy)
    .mutation(({ ctx, input }) => updateGatePolicy(ctx, input)),
  previewPolicy: procedure
    .input(PreviewGatePolicy)
    .output(GatePolicyPreview)
    .query(({ ctx, input }) => previewGatePolicy(ctx, input)),
})
