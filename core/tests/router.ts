import { procedure, router } from '../http/trpc.ts'
import { GetTestPolicy, TestPolicy, UpdateTestPolicy } from '../test-policy/schema.ts'
import { getTest } from './get.ts'
import { listTests } from './list.ts'
import { mergeTests } from './merge.ts'
import { previewPolicy } from './preview-policy.ts'
import { ListTests, MergeTests, PolicyPreview, PreviewPolicy, TestDetail, TestRef, TestsPage } from './schema.ts'
import { GetTestSpeed, TestSpeed, PlanShards, ShardPlan } from './speed/schema.ts'
import { planTestShards } from './speed/plan-shards.ts'
import { getTestSpeed } from './speed/get-speed.ts'
import { getTestPolicy, updateTestPolicy } from './update-policy.ts'

/** The procedures about the health of tests, which belong to the router `tests`. */
export const testHealthRouter = router({
  list: procedure
    .input(ListTests)
    .output(TestsPage)
    .query(({ ctx, input }) => listTests(ctx, input)),
  get: procedure
    .input(TestRef)
    .output(TestDetail)
    .query(({ ctx, input }) => getTest(ctx, input)),
  getPolicy: procedure
    .input(GetTestPolicy)
    .output(TestPolicy)
    .query(({ ctx, input }) => getTestPolicy(ctx, input)),
  updatePolicy: procedure
    .input(UpdateTestPolicy)
    .output(TestPolicy)
    .mutation(({ ctx, input }) => updateTestPolicy(ctx, input)),
  previewPolicy: procedure
    .input(PreviewPolicy)
    .output(PolicyPreview)
    .query(({ ctx, input }) => previewPolicy(ctx, input)),
  speed: procedure
    .input(GetTestSpeed)
    .output(TestSpeed)
    .query(({ ctx, input }) => getTestSpeed(ctx, input)),
  merge: procedure
    .input(MergeTests)
    .output(TestDetail)
    .mutation(({ ctx, input }) => mergeTests(ctx, input)),
})

/** The procedure that belongs to the router `testRuns`. */
export const testShardsRouter = router({
  shards: procedure
    .input(PlanShards)
    .output(ShardPlan)
    .query(({ ctx, input }) => planTestShards(ctx, input)),
})
