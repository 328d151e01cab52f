/** SQL: the webhook of a delivery (d) was deleted by hand. What is told of a project's end has a deleted one that is active. */
export const isWithdrawn = `
  EXISTS (SELECT FROM webhooks w WHERE w.id = d.webhook_id AND w.deleted_at IS NOT NULL AND NOT w.active)`

/** SQL for the status of a delivery (d) that is not sent any more. */
export const cancelled = `CASE WHEN d.delivered_at IS NULL THEN 'cancelled' ELSE 'succeeded' END`

/** SQL for what becomes of a delivery (d) after an attempt that somebody asked for in vain: all is as it was before. */
export const asBefore = {
  status: `CASE WHEN d.delivered_at IS NOT NULL THEN 'succeeded' WHEN d.resume_at IS NULL THEN 'failed'
                WHEN ${isWithdrawn} THEN 'cancelled' ELSE 'pending' END`,
  nextAttemptAt: `CASE WHEN NOT ${isWithdrawn} THEN d.resume_at END`,
  trigger: `CASE WHEN d.resume_at IS NOT NULL THEN 'scheduled'
                 WHEN d.delivered_at IS NULL THEN d.trigger
                 ELSE coalesce((SELECT a.trigger FROM webhook_attempts a
                                 WHERE a.delivery_id = d.id AND a.response_status BETWEEN 200 AND 299
                                 ORDER BY a.number DESC LIMIT 1), 'scheduled') END`,
}

/** SQL that ends a delivery (d) that waits for a webhook to which nothing is sent any more. */
export const cancel = `
  status = ${cancelled}, next_attempt_at = NULL, resume_at = NULL, trigger = ${asBefore.trigger}`

/** SQL for a column that tells how a delivery (d) ended: what has been delivered once goes on telling of that. */
export const summary = (column: string, latest: string) =>
  `CASE WHEN d.delivered_at IS NULL THEN ${latest} ELSE d.${column} END`
