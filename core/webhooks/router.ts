import { procedure, router } from '../http/trpc.ts'
import { createWebhook } from './create.ts'
import { deleteWebhook } from './delete.ts'
import { listDeliveries } from './deliveries.ts'
import { getDelivery } from './get-delivery.ts'
import { getWebhook } from './get.ts'
import { listWebhooks } from './list.ts'
import { pauseWebhook } from './pause.ts'
import { recoverDeliveries } from './recover.ts'
import { resumeWebhook } from './resume.ts'
import { retryDelivery } from './retry-delivery.ts'
import { rotateWebhookSecret } from './rotate-secret.ts'
import {
  CreatedWebhook,
  CreateWebhook,
  DeletedWebhook,
  DeliveriesPage,
  DeliveryAnswer,
  DeliveryDetailAnswer,
  DeliveryRef,
  ListDeliveries,
  ListWebhooks,
  RecoverDeliveries,
  RecoveredDeliveries,
  RotatedWebhookSecret,
  RotateWebhookSecret,
  TestWebhook,
  UpdateWebhook,
  WebhookAnswer,
  WebhookList,
  WebhookRef,
} from './schema.ts'
import { sendTest } from './send-test.ts'
import { updateWebhook } from './update.ts'

export const webhooksRouter = router({
  create: procedure
    .input(CreateWebhook)
    .output(CreatedWebhook)
    .mutation(({ ctx, input }) => createWebhook(ctx, input)),
  list: procedure
    .input(ListWebhooks)
    .output(WebhookList)
    .query(({ ctx, input }) => listWebhooks(ctx, input)),
  get: procedure
    .input(WebhookRef)
    .output(WebhookAnswer)
    .query(({ ctx, input }) => getWebhook(ctx, input)),
  update: procedure
    .input(UpdateWebhook)
    .output(WebhookAnswer)
    .mutation(({ ctx, input }) => updateWebhook(ctx, input)),
  pause: procedure
    .input(WebhookRef)
    .output(WebhookAnswer)
    .mutation(({ ctx, input }) => pauseWebhook(ctx, input)),
  resume: procedure
    .input(WebhookRef)
    .output(WebhookAnswer)
    .mutation(({ ctx, input }) => resumeWebhook(ctx, input)),
  delete: procedure
    .input(WebhookRef)
    .output(DeletedWebhook)
    .mutation(({ ctx, input }) => deleteWebhook(ctx, input)),
  rotateSecret: procedure
    .input(RotateWebhookSecret)
    .output(RotatedWebhookSecret)
    .mutation(({ ctx, input }) => rotateWebhookSecret(ctx, input)),
  deliveries: procedure
    .input(ListDeliveries)
    .output(DeliveriesPage)
    .query(({ ctx, input }) => listDeliveries(ctx, input)),
  getDelivery: procedure
    .input(DeliveryRef)
    .output(DeliveryDetailAnswer)
    .query(({ ctx, input }) => getDelivery(ctx, input)),
  retryDelivery: procedure
    .input(DeliveryRef)
    .output(DeliveryAnswer)
    .mutation(({ ctx, input }) => retryDelivery(ctx, input)),
  recover: procedure
    .input(RecoverDeliveries)
    .output(RecoveredDeliveries)
    .mutation(({ ctx, input }) => recoverDeliveries(ctx, input)),
  test: procedure
    .input(TestWebhook)
    .output(DeliveryDetailAnswer)
    .mutation(({ ctx, input }) => sendTest(ctx, input)),
})
